/**
 * What each rule of the gate is worth: takes it out of a copy of the tree and plays, against what is left, the attacks that
 * `rules.ts` names for it. They must get through; those of a rule that another one covers, only when both are out.
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { changed, copyTree, staleness } from '../scripts/changed-tree.mjs';
import type { Rule } from '../test/support/worst-case/rule.ts';
import { RULES } from '../test/support/worst-case/rules.ts';

/** Milliseconds. The attacks of one rule take seconds. */
const PLAY_TIMEOUT_MS = 300_000;

/** How a line begins that names an attack which got through. */
export const THROUGH = 'through: ';

/** @returns the attacks that got through, of those whose names begin so */
function playIn(copy: string, attacks: readonly string[]): readonly string[] {
  const argv = ['--conditions=source', 'bench/worst-case.ts', ...attacks.map((name) => `--only=${name}`)];
  const run = spawnSync(process.execPath, [join(copy, 'node_modules/tsx/dist/cli.mjs'), ...argv], {
    cwd: copy,
    encoding: 'utf8',
    timeout: PLAY_TIMEOUT_MS,
  });
  if (run.status !== 0 && run.status !== 1) throw new Error(`${run.stdout}${run.stderr}`);
  if (run.status === 1 && !run.stdout.includes(THROUGH)) throw new Error(`${run.stdout}${run.stderr}`);
  const names = run.stdout
    .split('\n')
    .flatMap((line) => (line.startsWith(THROUGH) ? [line.slice(THROUGH.length)] : []));
  return attacks.filter((attack) => names.some((name) => name.startsWith(attack)));
}

interface Tried {
  readonly row: readonly string[];
  readonly isFound: boolean;
}

function tryWithout(copy: string, rule: Rule): Tried {
  const others = RULES.filter(({ name }) => rule.coveredBy?.includes(name) === true);
  const stale = [rule, ...others].flatMap(({ change }) => staleness(copy, change) ?? []);
  if (stale.length > 0) return { row: [rule.name, `not tried: ${stale.join('; ')}`, ''], isFound: false };
  const alone = changed(copy, [rule.change], () => playIn(copy, rule.attacks));
  if (others.length === 0)
    return { row: [rule.name, alone.join(', ') || 'NONE', ''], isFound: alone.length === rule.attacks.length };
  const both = changed(
    copy,
    [rule, ...others].map(({ change }) => change),
    () => playIn(copy, rule.attacks),
  );
  const names = others.map(({ name }) => name).join(', ');
  const isFound = alone.length === 0 && both.length === rule.attacks.length;
  return { row: [rule.name, alone.join(', ') || 'none', `${names}: ${both.join(', ') || 'NONE'}`], isFound };
}

/** @param wanted  how the names of rules begin; `each`: all @returns the exit code */
export function playWithout(wanted: string): number {
  const rules = RULES.filter(({ name }) => wanted === 'each' || name.startsWith(wanted));
  const copy = copyTree();
  try {
    const print = (cells: readonly string[]): void => console.log(`| ${cells.join(' | ')} |`);
    print(['rule', 'attacks that get through without it', 'and without']);
    print(['---', '---', '---']);
    const held = playIn(copy, [...new Set(rules.flatMap(({ attacks }) => attacks))]);
    print(['none is taken out', held.join(', ') || 'none', '']);
    const tried = rules.map((rule) => {
      const it = tryWithout(copy, rule);
      print(it.row);
      return it;
    });
    const missed = tried.filter(({ isFound }) => !isFound);
    console.log(`${tried.length} rules, ${missed.length} of which the harness would not miss as it should`);
    return rules.length > 0 && missed.length === 0 && held.length === 0 ? 0 : 1;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
