/** The passes of a dream, in their order. */
import { ageThreads } from './age-threads.ts';
import { bankruptcy } from './bankruptcy.ts';
import type { Pass } from './change.ts';
import { forget } from './forget.ts';
import { knowledge } from './knowledge.ts';
import { lessons } from './lessons.ts';
import { mergeCases } from './merge-cases.ts';
import { nameThreads } from './name-threads.ts';
import { pruneCases } from './prune-cases.ts';
import { rules } from './rules.ts';
import { settleFacts } from './settle-facts.ts';

/**
 * Each sees what those before it changed. What has faded goes first, so that nothing is made of it. Rules fall before new ones are
 * made. A pair that is strong by itself becomes a rule before a lesson over several pairs takes it. Names come last: a model may be
 * asked four times, and lessons are worth more.
 */
export const passes = {
  Forget: forget,
  Bankruptcy: bankruptcy,
  Knowledge: knowledge,
  Rules: rules,
  Lessons: lessons,
  MergeCases: mergeCases,
  PruneCases: pruneCases,
  SettleFacts: settleFacts,
  AgeThreads: ageThreads,
  NameThreads: nameThreads,
} as const satisfies Readonly<Record<string, Pass>>;

export type PassName = keyof typeof passes;
export const PASS_NAMES = Object.keys(passes) as [PassName, ...PassName[]];
