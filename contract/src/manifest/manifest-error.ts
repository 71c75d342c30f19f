import type { ValuePath } from './cel-rules.ts';

export interface ManifestError {
  readonly file: string;
  /** 1 is the first line. */
  readonly line: number;
  /** Kind and name, such as `Agent/ada`; empty if unknown. */
  readonly object: string;
  /** Field path such as `spec.models.provider`; empty for the whole document. */
  readonly path: string;
  readonly found: string;
  readonly allowed: string;
  /** The word that the author probably meant. */
  readonly suggestion?: string;
}

/** Characters of a rendered value; the file contains the rest. */
const FOUND_LENGTH_MAX = 80;

/** One line of text: place, field, what was found, what is allowed. */
export function renderManifestError(error: ManifestError): string {
  const where = [`${error.file}:${error.line}`, error.object, error.path].filter((part) => part !== '').join(': ');
  const hint = error.suggestion === undefined ? '' : ` (did you mean ${error.suggestion}?)`;
  return `${where}: found ${error.found}; allowed: ${error.allowed}${hint}`;
}

/** `spec.roles[0].tier` */
export function renderPath(path: ValuePath): string {
  return path
    .map((step, index) => {
      if (typeof step === 'number') return `[${step}]`;
      if (!/^[A-Za-z_][A-Za-z0-9_-]*$/.test(step)) return `["${step}"]`;
      return index === 0 ? step : `.${step}`;
    })
    .join('');
}

/** Rendering of a missing field. */
export const NOTHING = 'nothing';

/** Short enough for one line. */
export function renderFound(value: unknown): string {
  if (value === undefined) return NOTHING;
  const text = JSON.stringify(value);
  return text.length <= FOUND_LENGTH_MAX ? text : `${text.slice(0, FOUND_LENGTH_MAX)}… (${text.length} characters)`;
}
