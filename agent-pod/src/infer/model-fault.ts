/**
 * What a failed exchange with a server of models means, in words for people. Pure.
 *
 * I1  A failure names method, address, status, content type, what it means, and the setting that mends it.
 * I2  It holds neither key nor prompt nor a page: of a refusal only the words of a JSON error or a short line are told.
 */
import { headAndTail } from '@retainer/contract/std/head-and-tail';
import { parseJson } from '@retainer/contract/std/parse-json';
import type { ModelFailureKind, ModelRequest } from '@retainer/mind/request/model-request';
import { symptomRows, type Facts, type SettingNames, type Symptom } from './model-symptoms.ts';
import type { Seen } from './model-wire.ts';

interface Fault {
  readonly kind: ModelFailureKind;
  readonly message: string;
}

/** Characters of a server's own words. */
const TEXT_CHARS_MAX = 400;

/** As many characters in a row, the same in words of a server and in a prompt, are the prompt's. */
const ECHO_CHARS = 32;

export function faultOf(symptom: Symptom, names: SettingNames, request: ModelRequest): Fault {
  const { seen, event } = symptom;
  const told = event === undefined ? refusalOf(seen) : { text: event.text, type: event.type, isApi: true };
  const facts: Facts = {
    ...symptom,
    names,
    code: seen.broken?.code ?? '',
    status: event === undefined ? (seen.status ?? 0) : 0,
    errorType: told.type,
    text: withoutEchoes(headAndTail(withoutPage(told.text), TEXT_CHARS_MAX), request),
    isApi: told.isApi,
  };
  const row = symptomRows.find((it) => it.symptom(facts));
  if (row === undefined) return { kind: 'Network', message: askedText(seen) };
  const kind = typeof row.kind === 'function' ? row.kind(facts) : row.kind;
  const [means, remedy] = [row.means(facts), row.remedy(facts)];
  const parts = [facts.errorType, means].filter((part) => part !== undefined && part !== '');
  return { kind, message: `${askedText(seen)}: ${parts.join(': ')}${remedy === '' ? '' : `; ${remedy}`}` };
}

/** `POST http://host/v1/messages answered 404 (text/html)`. */
export function askedText({ method, address, proxy, status, contentType }: Seen): string {
  const asked = `${method} ${address.origin}${address.pathname}${proxy === undefined ? '' : ` through the proxy ${proxy}`}`;
  if (status === undefined) return asked;
  return `${asked} answered ${status}${contentType === undefined || contentType === '' ? '' : ` (${contentType})`}`;
}

interface Told {
  readonly text: string;
  readonly type: string | undefined;
  readonly isApi: boolean;
}

/** The words of a JSON error in the forms that servers of this API use, or a short line of text. Never a page. */
function refusalOf({ refusal = '', contentType = '' }: Seen): Told {
  const none = { text: '', type: undefined, isApi: false };
  const body = parseJson(refusal);
  if (isRecord(body)) {
    const error = isRecord(body['error']) ? body['error'] : body;
    const [text = ''] = [error['message'], body['error'], body['detail'], body['message']].filter(isText);
    return {
      text,
      type: isText(error['type']) ? error['type'] : undefined,
      isApi: text !== '' || isText(error['type']),
    };
  }
  const line = refusal.trim();
  const isPlain = contentType === 'text/plain' && !line.startsWith('<') && !/[\r\n]/.test(line);
  return isPlain ? { ...none, text: line } : none;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Some servers wrap the page of another into their error. */
function withoutPage(text: string): string {
  return text.replace(/<(!doctype|html|head|body)\b[\s\S]*/i, '[a page]');
}

/** Some servers repeat in an error what they were sent. */
function withoutEchoes(text: string, { system, messages }: ModelRequest): string {
  if (text.length < ECHO_CHARS) return text;
  const said = [
    ...system.map((block) => block.text),
    ...messages.flatMap(({ content }) =>
      content.map((block) => ('text' in block ? block.text : JSON.stringify(block.input))),
    ),
  ].join('\n');
  const isSaid = (from: number, to: number): boolean => said.includes(text.slice(from, to));
  let kept = '';
  for (let at = 0; at < text.length;) {
    if (at + ECHO_CHARS > text.length || !isSaid(at, at + ECHO_CHARS)) {
      kept += text[at];
      at += 1;
      continue;
    }
    let end = at + ECHO_CHARS;
    while (end < text.length && isSaid(at, end + 1)) end += 1;
    kept += '[…]';
    at = end;
  }
  return kept;
}
