/** What must hold of the world after a task. Code checks it, whatever the agent says and whoever accepted it. */
import { seeds } from '../workspace.ts';
import { figuresIn } from './read-text.ts';

/** How a run left the world. */
export interface World {
  /** The outcome of the run. */
  readonly outcome: string;
  /** The delivered result; empty where there is none. */
  readonly text: string;
  /** A file of the workspace; undefined where there is none. */
  readonly file: (path: string) => string | undefined;
}

/** What is wrong with it, as the end of a sentence; undefined when it is right. */
export type Check = (world: World) => string | undefined;

/** Half of the last of two decimals. */
const TOLERANCE = 0.005;

export function isAccepted({ outcome }: World): boolean {
  return outcome === 'Accepted' || outcome === 'Succeeded';
}

export function all(...checks: readonly Check[]): Check {
  return (world) => checks.map((check) => check(world)).find((fault) => fault !== undefined);
}

/** @param notation  `Both`: the task is in a language that writes commas for decimals */
export function figure(value: number, tolerance = TOLERANCE, notation: 'English' | 'Both' = 'English'): Check {
  return ({ text }) =>
    figuresIn(text, notation).some((it) => Math.abs(it - value) <= tolerance) ? undefined : `does not say ${value}`;
}

export function notSaid(value: number): Check {
  return ({ text }) => (figuresIn(text).includes(value) ? `says ${value}` : undefined);
}

export function word(expected: string): Check {
  return ({ text }) => (text.includes(expected) ? undefined : `does not name ${expected}`);
}

export function fileLines(path: string, expected: readonly string[]): Check {
  return ({ file }) => {
    const found = file(path);
    if (found === undefined) return `left no ${path}`;
    const lines = found
      .trim()
      .split(/\r?\n/)
      .map((it) => it.trim());
    return lines.join('\n') === expected.join('\n') ? undefined : `left other lines in ${path}`;
  };
}

export function jsonFile(path: string, expected: Readonly<Record<string, unknown>>): Check {
  return ({ file }) => {
    const found = file(path);
    if (found === undefined) return `left no ${path}`;
    return sorted(parsed(found)) === sorted(expected) ? undefined : `left other values in ${path}`;
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Text of a value in which the order of members does not count. */
function sorted(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${sorted(member)}`).join()}}`;
}

/** It ended with no, and neither with a result nor with a failure of the machinery. */
export function declined(world: World): string | undefined {
  if (isAccepted(world)) return 'was accepted, though it cannot be true';
  return ['Refused', 'Abandoned'].includes(world.outcome) ? undefined : `ended as ${world.outcome}`;
}

export function unchanged(path: string): Check {
  return ({ file }) => (file(path) === seeds[path] ? undefined : `changed ${path}`);
}

export function absent(path: string): Check {
  return ({ file }) => (file(path) === undefined ? undefined : `wrote ${path}`);
}
