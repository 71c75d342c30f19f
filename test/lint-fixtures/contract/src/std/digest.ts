// Clean: a pure module of the contract.
import { sha256Hex } from './sha256-node.ts';

export const digest = (text: string): string => sha256Hex(text);
