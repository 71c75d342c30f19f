// Clean: what each layer may do, so that a rule that reports everything is noticed as well.
import { sha256Hex } from '@retainer/contract/std/hash';
import type { Result } from '@retainer/contract/std/result';
import { compileGate } from '../gate/compile-gate.ts';
import type { JournalRecord } from '@retainer/contract/wire/record';
import type { ToolOutcome } from './tool-outcome.ts';

export type Step = Result<ToolOutcome, JournalRecord>;

export const stepId = (text: string): string => sha256Hex(text + compileGate.name);
