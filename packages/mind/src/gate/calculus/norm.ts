/**
 * Norms, the operands of the calculus. 14 levels, 3 operators and 2 modalities make the 84 kinds of the default scheme.
 *
 * Source: springdrift 1; design 7 (levels in the CRD: three schemes, nothing is mapped from one to another).
 */
import { MODALITIES, OPERATORS } from '@retainer/contract/api/character-spec';
import {
  levelOrdinal,
  levelsOf,
  schemesWith,
  LEVEL_NAMES,
  type LevelName,
  type LevelSchemeName,
} from '@retainer/contract/api/levels';
import { nearestWord } from '@retainer/contract/manifest/nearest-word';
import { invariant } from '@retainer/contract/std/invariant';
import { err, ok, type Result } from '@retainer/contract/std/result';

export type Operator = (typeof OPERATORS)[number];
export type Modality = (typeof MODALITIES)[number];

/** The binding strength of each operator; a higher rank is stronger. */
const OPERATOR_RANKS: Readonly<Record<Operator, number>> = { Required: 3, Ought: 2, Indifferent: 1 };

export interface Norm {
  readonly level: LevelName;
  readonly operator: Operator;
  readonly modality: Modality;
  /** Ordinal of the level in its scheme; the higher wins. */
  readonly ordinal: number;
  /** Rank of the operator, 1 to 3. */
  readonly rank: number;
}

type NormParts = Pick<Norm, 'level' | 'operator' | 'modality'>;

/** @param parts  the level must belong to the scheme; the schema ensures this for manifests, `parseNorm` for texts */
export function normOf(scheme: LevelSchemeName, { level, operator, modality }: NormParts): Norm {
  const ordinal = levelOrdinal(scheme, level);
  invariant(ordinal !== undefined, `level ${level} belongs to the scheme ${scheme}`);
  return { level, operator, modality, ordinal, rank: OPERATOR_RANKS[operator] };
}

/** Every kind of the scheme once: by level (highest first), operator (strongest first), modality (`Possible` first). */
export function normsOf(scheme: LevelSchemeName): readonly Norm[] {
  return levelsOf(scheme).flatMap((level) =>
    OPERATORS.flatMap((operator) => MODALITIES.map((modality) => normOf(scheme, { level, operator, modality }))),
  );
}

/** `Legal/Required`; the modality appears only if it is `Impossible`. */
export function renderNorm({ level, operator, modality }: NormParts): string {
  return modality === 'Possible' ? `${level}/${operator}` : `${level}/${operator}/${modality}`;
}

/** Parses what `renderNorm` gives; `Possible` may be spelt out. @returns the norm, or a sentence per invalid part */
export function parseNorm(scheme: LevelSchemeName, text: string): Result<Norm, readonly string[]> {
  const [levelText = '', operatorText = '', modalityText = 'Possible', ...rest] = text.split('/');
  const level = levelsOf(scheme).find((name) => name === levelText);
  const operator = OPERATORS.find((name) => name === operatorText);
  const modality = MODALITIES.find((name) => name === modalityText);
  if (level !== undefined && operator !== undefined && modality !== undefined && rest.length === 0)
    return ok(normOf(scheme, { level, operator, modality }));
  return err([
    ...(level === undefined ? [levelFault(scheme, levelText)] : []),
    ...(operator === undefined ? [wordFault('operator', operatorText, OPERATORS)] : []),
    ...(modality === undefined ? [wordFault('modality', modalityText, MODALITIES)] : []),
    ...(rest.length > 0 ? [`found more than LEVEL/OPERATOR/MODALITY: "${rest.join('/')}"`] : []),
  ]);
}

function levelFault(scheme: LevelSchemeName, text: string): string {
  const foreign = LEVEL_NAMES.find((name) => name === text);
  const fault = wordFault('level', text, levelsOf(scheme));
  return foreign === undefined ? fault : `${fault}; ${text} belongs to ${schemesWith(foreign).join(' and ')}`;
}

function wordFault(field: string, found: string, allowed: readonly string[]): string {
  const meant = nearestWord(found, allowed);
  const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`;
  return `${field}: found ${found === '' ? 'nothing' : `"${found}"`}; allowed: ${allowed.join(', ')}${hint}`;
}
