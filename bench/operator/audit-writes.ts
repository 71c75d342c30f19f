/** Writes as the API server's own audit log has them: who wrote what, how often. */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';

export interface AuditedWrite {
  /** `system:serviceaccount:NAMESPACE:NAME`, or the user of a certificate. */
  readonly user: string;
  readonly verb: string;
  /** `tasks`, or `tasks/status`. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** HTTP status. */
  readonly code: number;
  /** When it was answered, milliseconds since 1970. */
  readonly answeredMs: number;
}

interface AuditLine {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
  readonly stageTimestamp: string;
}

/** Longer than any line: metadata of one request. */
const lineBytesMax = 65_536;

/** Where the last whole line ends now: counting begins there. */
export async function auditEnd(path: string): Promise<number> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - lineBytesMax);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    return from + buffer.subarray(0, bytesRead).lastIndexOf(0x0a) + 1;
  } finally {
    await file.close();
  }
}

/** The writes logged from byte `from` on, in the order of their answers. */
export async function auditedWrites(path: string, from: number): Promise<readonly AuditedWrite[]> {
  const writes: AuditedWrite[] = [];
  const end = await auditEnd(path);
  if (end === from) return writes;
  const lines = createInterface({ input: createReadStream(path, { start: from, end: end - 1 }) });
  for await (const line of lines) writes.push(writeOf(JSON.parse(line) as AuditLine));
  return writes;
}

/** Without a write for so long, all that had to be written is. */
const quietMs = 3000;
/** Fifty agents and Tasks a second and a margin: what has not come to rest by then never will. */
const quietMsMax = 900_000;

/** Resolves once no write that counts came for some seconds. */
export async function untilQuiet(path: string, counts: (write: AuditedWrite) => boolean): Promise<void> {
  const startedMs = performance.now();
  for (;;) {
    const from = await auditEnd(path);
    await new Promise((resolve) => setTimeout(resolve, quietMs));
    const writes = (await auditedWrites(path, from)).filter(counts);
    if (writes.length === 0) return;
    if (performance.now() - startedMs > quietMsMax)
      throw new Error(`after ${quietMsMax / 1000} s still written: ${JSON.stringify(writes.slice(0, 5))}`);
  }
}

function writeOf({ verb, user, objectRef = {}, responseStatus, stageTimestamp }: AuditLine): AuditedWrite {
  const { resource = '', subresource, namespace = '', name = '' } = objectRef;
  return {
    user: user.username,
    verb,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    namespace,
    name,
    code: responseStatus?.code ?? 0,
    answeredMs: Date.parse(stageTimestamp),
  };
}

/** How many writes each kind of thing got, most first. */
export function tally(
  writes: readonly AuditedWrite[],
  keyOf: (write: AuditedWrite) => string,
): readonly (readonly [key: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const write of writes) counts.set(keyOf(write), (counts.get(keyOf(write)) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a);
}
