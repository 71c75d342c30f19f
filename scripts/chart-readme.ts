/** Makes the table of values in the chart's README from the comments in `values.yaml`. Fails if a value has no comment. */
import { isMap, isScalar, parseDocument, type Pair, type YAMLMap } from 'yaml';

/** One value that a user may set. */
export interface ChartValue {
  /** `operator.lease.durationSeconds`. */
  readonly path: string;
  /** As JSON. */
  readonly preset: string;
  readonly description: string;
}

const MARK = '-- ';

/** @throws on a value without a comment that begins with `# -- ` */
export function chartValues(valuesYaml: string): readonly ChartValue[] {
  const { contents } = parseDocument(valuesYaml);
  if (!isMap(contents)) throw new Error('values.yaml holds no mapping');
  return valuesOf(contents, '');
}

function valuesOf(map: YAMLMap, prefix: string): readonly ChartValue[] {
  return map.items.flatMap((pair, index) => valueOf(pair, prefix, index === 0 ? map.commentBefore : undefined));
}

function valueOf({ key, value }: Pair, prefix: string, first: string | null | undefined): readonly ChartValue[] {
  const name = isScalar(key) ? String(key.value) : String(key);
  const path = `${prefix}${name}`;
  const comment = (isScalar(key) ? key.commentBefore : undefined) ?? first ?? '';
  const marked = comment.trim().startsWith(MARK.trim());
  if (!marked && isMap(value)) return valuesOf(value, `${path}.`);
  if (!marked) throw new Error(`values.yaml: ${path} needs a comment that begins with "# -- "`);
  const description = comment.trim().slice(MARK.length).replace(/\n\s*/g, ' ');
  const plain: unknown = isMap(value) || !isScalar(value) ? (value as { toJSON(): unknown }).toJSON() : value.value;
  return [{ path, preset: JSON.stringify(plain), description }];
}

/** The README with the table between its two marks replaced. */
export function withValuesTable(readme: string, values: readonly ChartValue[]): string {
  const rows = values.map(({ path, preset, description }) => `| \`${path}\` | \`${preset}\` | ${description} |`);
  const table = ['| value | default | what |', '|---|---|---|', ...rows].join('\n');
  const [before, rest] = readme.split('<!-- values -->\n');
  const [, after] = (rest ?? '').split('<!-- end of values -->');
  if (before === undefined || after === undefined) throw new Error('README.md has no marks around its table of values');
  return `${before}<!-- values -->\n${table}\n<!-- end of values -->${after}`;
}
