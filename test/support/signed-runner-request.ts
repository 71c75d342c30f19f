/** Requests to a runner as anybody may make them: rightly signed by default, wrong where a test says so. */
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { claimText, RUNNER_HEADERS, signedText, type Claim } from '../../contract/src/wire/runner.ts';
import { sha256Hex } from '../../contract/src/std/hash.ts';

export interface KeyPair {
  readonly privateKey: KeyObject;
  /** 32 bytes, base64. */
  readonly publicKey: string;
  /** PKCS8, base64. */
  readonly privateText: string;
}

export function keyPair(): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    privateKey,
    publicKey: publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64'),
    privateText: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
  };
}

export function signedClaim(operator: KeyPair, claim: Omit<Claim, 'signature'>): Claim {
  const signature = sign(null, Buffer.from(claimText(claim)), operator.privateKey).toString('base64');
  return { ...claim, signature };
}

export interface RawRequest {
  readonly port: number;
  readonly key: KeyPair;
  readonly sequence: number | string;
  readonly method?: string;
  readonly path: string;
  readonly body?: string | Uint8Array;
  /** In the place of what is right. */
  readonly podUid?: string;
  readonly signedPath?: string;
  readonly digest?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
  /** Of a refusal. */
  readonly reason: string;
}

export function signedHeaders(request: RawRequest): Record<string, string> {
  const { key, sequence, method = 'POST', path, body = '', podUid = 'pod-uid' } = request;
  const digest = request.digest ?? `sha256:${sha256Hex(body)}`;
  const text = signedText({ podUid, method, path: request.signedPath ?? path, sequence: sequence as number, digest });
  const headers = {
    [RUNNER_HEADERS.sequence]: String(sequence),
    [RUNNER_HEADERS.digest]: digest,
    [RUNNER_HEADERS.signature]: sign(null, Buffer.from(text), key.privateKey).toString('base64'),
    ...request.headers,
  };
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

export async function send(request: RawRequest): Promise<RawAnswer> {
  const { port, method = 'POST', path, body = '' } = request;
  const headers = signedHeaders(request);
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ host: '127.0.0.1', port, method, path, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const whole = Buffer.concat(chunks);
        const status = answer.statusCode ?? 0;
        resolve({ status, headers: answer.headers, body: whole, reason: status >= 400 ? reasonOf(whole) : '' });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function reasonOf(body: Buffer): string {
  try {
    return (JSON.parse(body.toString('utf8')) as { reason: string }).reason;
  } catch {
    return '';
  }
}
