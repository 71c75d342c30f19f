import { parseJson } from '@retainer/contract/std/parse-json';
import type { ApiError } from './api-error.ts';
import { statusError } from './api-answer.ts';
import type { WatchEvent } from './kube-client.ts';
import type { KubeObject } from './kube-object.ts';
import type { Line } from './lines.ts';

const types: ReadonlyMap<unknown, 'Added' | 'Modified' | 'Deleted' | 'Bookmark'> = new Map([
  ['ADDED', 'Added'],
  ['MODIFIED', 'Modified'],
  ['DELETED', 'Deleted'],
  ['BOOKMARK', 'Bookmark'],
] as const);

/** Parses one line of a watch as an event, or as the error that the server sends as its last line. */
export function parseWatchLine(line: Line): WatchEvent | ApiError {
  if (line.type === 'TooLong') return garbage('a line is longer than any object');
  // A line that is no JSON is a regular case here, not a failure.
  const value = line.type === 'Whole' ? parseJson(line.text) : undefined;
  if (!isRecord(value)) return garbage(line.type === 'Cut' ? 'the stream ends inside a line' : 'a line is not JSON');
  const { type, object } = value;
  return type === 'ERROR' ? statusError('watch', { body: object }) : eventOf(type, object);
}

function eventOf(name: unknown, object: unknown): WatchEvent {
  const type = types.get(name);
  const metadata = isRecord(object) ? object['metadata'] : undefined;
  if (type === undefined || !isRecord(metadata)) return garbage('a line is not an event');
  const { resourceVersion } = metadata;
  if (typeof resourceVersion !== 'string') return garbage('an event has no version');
  if (type === 'Bookmark') return { type, resourceVersion };
  if (typeof metadata['name'] !== 'string') return garbage('an event has no name');
  return { type, object: object as KubeObject };
}

function garbage(reason: string): WatchEvent {
  return { type: 'Garbage', reason };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
