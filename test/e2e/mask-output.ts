/** kubectl's output without what differs from run to run. */

const VOLATILE: readonly (readonly [pattern: RegExp, mask: string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, '<time>'],
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uid>'],
  [/sha256:[0-9a-f]{64}/g, 'sha256:<digest>'],
  [/\b([a-z-]+)-[0-9a-f]{10}\b/g, '$1-<id>'],
  [/(Resource Version: +)\d+/g, '$1<version>'],
  [
    /((Input|Output) Tokens: +|Cost Usd: +|Size Bytes: +|(Resource|Total): +|Epoch: +|Order: +|(Finished|Refused|Running|Waiting): +(?=\d))[\d.]+/g,
    '$1<number>',
  ],
  // The last column of a row of `kubectl get`.
  [/^(\S+\/.*\S) +(\d+[smhd]){1,2}$/gm, '$1  <age>'],
];
/** Events come in any number and order. */
const EVENTS = /^Events:[\s\S]*/m;
/** Conditions and other lists keep their order; what stands in columns is set close, since its width depends on other cells. */
const COLUMNS = / {2,}(?=\S)/g;

export function masked(text: string, namespace: string): string {
  const withoutVolatile = VOLATILE.reduce((rest, [pattern, mask]) => rest.replace(pattern, mask), text);
  const lines = withoutVolatile.replace(EVENTS, 'Events: <events>\n').replaceAll(namespace, '<namespace>').split('\n');
  return lines.map((line) => indentOf(line) + line.trimStart().replace(COLUMNS, '  ').trimEnd()).join('\n');
}

function indentOf(line: string): string {
  return /^ */.exec(line)?.[0] ?? '';
}
