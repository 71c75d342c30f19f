/** All pairs of norms on one page: the rules, one letter for each pair, the floors. */
import type { LevelSchemeName } from '@retainer/contract/api/levels';
import { renderCount } from '@retainer/mind/explain/figures';
import type { StoryLine } from '@retainer/mind/part/story';
import { FLOORS, GATE_VERDICTS } from '@retainer/mind/gate/calculus/floors';
import { renderNorm, type Norm } from '@retainer/mind/gate/calculus/norm';
import { PAIR_RULES, type PairRule } from '@retainer/mind/gate/calculus/pair-rules';
import type { PairTable } from '@retainer/mind/gate/calculus/pair-table';
import { plain, quiet } from './story-lines.ts';

const GROUP_WIDTH = 4;

export function renderPairTable(table: PairTable, scheme: LevelSchemeName): readonly StoryLine[] {
  return [
    plain(
      `Rules for a pair (user, system); the first that holds decides; ${scheme}, ${renderCount(table.pairs)} pairs`,
    ),
    ...ruleLines(table),
    plain(''),
    plain(table.bySeverity.map(({ severity, pairs }) => `${severity} ${renderCount(pairs)}`).join('   ')),
    plain(''),
    plain('Pairs: rows are the user’s norm, columns the system’s level; R O I is its operator'),
    quiet('(Required, Ought, Indifferent). The modality of the system’s norm has no effect.'),
    ...gridLines(table),
    plain(''),
    plain('Floors; the first that holds decides'),
    ...floorLines(),
  ];
}

function ruleLines({ byRule, pairs }: PairTable): readonly StoryLine[] {
  return PAIR_RULES.map(({ id, letter, severity, when }, at) => {
    const count = byRule[at]?.pairs ?? 0;
    const share = `${((100 * count) / pairs).toFixed(1)} %`;
    return plain(
      `  ${letter}  ${renderCount(count).padStart(5)} ${share.padStart(7)}  ${severity.padEnd(13)}  ${id.padEnd(31)} ${when}`,
    );
  });
}

function floorLines(): readonly StoryLine[] {
  return FLOORS.map(({ id, verdict, when }) =>
    plain(`  ${verdict.padEnd(11)} ${GATE_VERDICTS[verdict].padEnd(6)}  ${id.padEnd(34)} ${when}`),
  );
}

function gridLines({ norms, rows }: PairTable): readonly StoryLine[] {
  const columns = norms.flatMap((norm, at) => (norm.modality === 'Possible' ? [{ norm, at }] : []));
  const ordinals = [...new Set(norms.map((norm) => String(norm.ordinal)))];
  const operators = [...new Set(norms.map((norm) => norm.operator))];
  const named = norms.flatMap((norm, at) => (isActive(norm) ? [{ name: renderNorm(norm), at }] : []));
  const shown = [
    { name: 'any level and operator, Impossible', at: norms.findIndex((norm) => norm.modality === 'Impossible') },
    { name: 'any level, Indifferent', at: norms.findIndex((norm) => norm.operator === 'Indifferent') },
    ...named,
  ];
  const width = Math.max(...shown.map(({ name }) => name.length));
  const line = (name: string, groups: readonly string[]): string =>
    `  ${name.padEnd(width)}  ${groups.map((group) => group.padStart(GROUP_WIDTH)).join(' ')}`;
  const letters = (row: readonly PairRule[]): readonly string[] =>
    groupsOf(
      columns.map(({ at }) => row[at]?.letter ?? ''),
      operators.length,
    );
  const initials = operators.map((operator) => operator.slice(0, 1)).join('');
  return [
    quiet(line('', ordinals)),
    quiet(
      line(
        '',
        ordinals.map(() => initials),
      ),
    ),
    ...shown.map(({ name, at }) => plain(line(name, letters(rows[at] ?? [])))),
  ];
}

const isActive = ({ modality, operator }: Norm): boolean => modality === 'Possible' && operator !== 'Indifferent';

function groupsOf(letters: readonly string[], size: number): readonly string[] {
  return Array.from({ length: Math.ceil(letters.length / size) }, (_, at) =>
    letters.slice(at * size, (at + 1) * size).join(''),
  );
}
