/** Bodies of requests, bounded, and checked against the signed digest. */
import type { IncomingMessage } from 'node:http';
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { z } from 'zod';
import type { Fault } from './fault.ts';
import { digestFault } from './runner.ts';
import { bodyDigest } from './signed-request.ts';

/** The whole body, or an error if it is longer. */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Result<Buffer, Fault>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax)
      return err({ status: 413, reason: 'BodyTooLarge', message: `the body is longer than ${bytesMax} bytes` });
    chunks.push(chunk);
  }
  return ok(Buffer.concat(chunks));
}

/** The same, after a check against the signed digest. */
export async function readSigned(
  request: IncomingMessage,
  bytesMax: number,
  digest: string,
): Promise<Result<Buffer, Fault>> {
  const body = await readBody(request, bytesMax);
  if (!body.ok) return body;
  return bodyDigest(body.value) === digest ? body : digestFault;
}

/** The error names fields, never their values. */
export function parseBody<T extends z.ZodType>(body: Buffer, schema: T): Result<z.infer<T>, Fault> {
  try {
    const parsed = schema.safeParse(JSON.parse(body.toString('utf8')));
    if (parsed.success) return ok(parsed.data);
    const fields = parsed.error.issues.map(({ path, code }) => `${path.join('.')} (${code})`);
    return malformed(fields.slice(0, 8).join(', '));
  } catch {
    return malformed('not JSON');
  }
}

/** Longest text of a {@link RunnerError}. */
const MESSAGE_LENGTH_MAX = 1024;

function malformed(message: string): { readonly ok: false; readonly error: Fault } {
  return err({ status: 400, reason: 'Malformed', message: message.slice(0, MESSAGE_LENGTH_MAX) });
}
