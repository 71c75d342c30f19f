/**
 * The API server over HTTPS. It repeats no request: the calling loop decides whether and when to try again.
 *
 * I1  Every call ends: its deadline covers the wait for a connection, credentials, the answer and its body.
 * I2  A failure is an `ApiError` if the server reported it, and a `ConnectionError` otherwise, a stopped call included. An
 *     `InvariantError` of the consumer of a watch's events is passed on.
 * I3  No more than one page of objects, one object or one line of a watch is held in memory.
 */
import type { IncomingMessage } from 'node:http';
import type { Clock } from '@retainer/contract/std/clock';
import { InvariantError } from '@retainer/contract/std/invariant';
import { statusError } from './api-answer.ts';
import { ApiError, ConnectionError, isConflict, isNotFound } from './api-error.ts';
import type { Connection } from './connection.ts';
import { withDeadline } from './deadline.ts';
import type {
  ApplyOptions,
  CallOptions,
  ChangeOptions,
  DeleteOptions,
  DeletePrecondition,
  KubeClient,
  ListOptions,
  ObjectPage,
  PatchOptions,
  RawOptions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './kube-client.ts';
import { keyOf, type KubeObject, type ObjectKey } from './kube-object.ts';
import { linesOf } from './lines.ts';
import { apiVersionOf, pathOf, type Resource } from './resource.ts';
import { Transport } from './transport.ts';
import { parseWatchLine } from './watch-line.ts';

/** Half of an API server's own time limit for a request: a later answer would be of no use to a pass. */
const CALL_DEADLINE_MS = 30_000;
/** 100 objects, the largest page asked for, of the 1.5 MiB that etcd takes. */
const ANSWER_BYTES_MAX = 160 * 1024 * 1024;
/** The largest object that etcd takes, written as JSON with every character escaped twice, and room to spare. */
const LINE_BYTES_MAX = 8 * 1024 * 1024;

const JSON_TYPE = 'application/json';
const MERGE_PATCH_TYPE = 'application/merge-patch+json';
/** JSON is YAML. */
const APPLY_PATCH = 'application/apply-patch+yaml';

/** One finished request; `code` is the status, or `<error>` if no answer came. */
export interface AnsweredRequest {
  readonly method: string;
  readonly host: string;
  readonly code: string;
}

export interface HttpsClientOptions {
  readonly connection: Connection;
  readonly clock: Clock;
  /** As the API server's log shows it: `retainer-operator/0.1.0`. */
  readonly userAgent: string;
  readonly onAnswer?: (request: AnsweredRequest) => void;
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly query?: Query;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly beforeSending?: (() => void) | undefined;
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export class HttpsClient implements KubeClient {
  readonly #transport: Transport;
  readonly #host: string;
  readonly #clock: Clock;
  readonly #userAgent: string;
  readonly #onAnswer: (request: AnsweredRequest) => void;

  constructor({ connection, clock, userAgent, onAnswer = () => undefined }: HttpsClientOptions) {
    this.#transport = new Transport(connection);
    this.#host = connection.server.host;
    this.#clock = clock;
    this.#userAgent = userAgent;
    this.#onAnswer = onAnswer;
  }

  async get(resource: Resource, key: ObjectKey, { signal }: CallOptions = {}): Promise<KubeObject | undefined> {
    try {
      return await this.#object({ method: 'GET', path: pathOf(resource, key), signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async list(resource: Resource, options: ListOptions): Promise<ObjectPage> {
    const { namespace, labelSelector, fieldSelector, limit, signal } = options;
    const query = { labelSelector, fieldSelector, limit, continue: options.continue };
    const page = (await this.#call({ method: 'GET', path: pathOf(resource, { namespace }), query, signal })) as {
      readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
      readonly items: readonly KubeObject[] | null;
    };
    const next = page.metadata.continue ?? '';
    // Items of a list omit their type; events of a watch contain it.
    const type = { apiVersion: apiVersionOf(resource), kind: resource.kind };
    return {
      items: (page.items ?? []).map((item) => ({ ...type, ...item })),
      resourceVersion: page.metadata.resourceVersion,
      ...(next === '' ? {} : { continue: next }),
    };
  }

  create(resource: Resource, object: KubeObject, options: WriteOptions = {}): Promise<KubeObject> {
    const { namespace } = object.metadata;
    return this.#object({
      method: 'POST',
      path: pathOf(resource, { namespace }),
      query: writeQuery(options),
      body: typed(resource, object),
      ...sendingOf(options),
    });
  }

  apply(resource: Resource, object: KubeObject, options: ApplyOptions): Promise<KubeObject> {
    return this.#object({
      method: 'PATCH',
      path: pathOf(resource, { ...keyOf(object), subresource: options.subresource }),
      query: { ...writeQuery(options), force: options.force },
      body: typed(resource, object),
      contentType: APPLY_PATCH,
      ...sendingOf(options),
    });
  }

  mergePatch(resource: Resource, key: ObjectKey, patch: object, options: PatchOptions = {}): Promise<KubeObject> {
    return this.#object({
      method: 'PATCH',
      path: pathOf(resource, { ...key, subresource: options.subresource }),
      query: writeQuery(options),
      body: patch,
      contentType: MERGE_PATCH_TYPE,
      ...sendingOf(options),
    });
  }

  replace(resource: Resource, object: KubeObject, options: WriteOptions = {}): Promise<KubeObject> {
    return this.#object({
      method: 'PUT',
      path: pathOf(resource, keyOf(object)),
      query: writeQuery(options),
      body: typed(resource, object),
      ...sendingOf(options),
    });
  }

  async delete(
    resource: Resource,
    key: ObjectKey,
    precondition: DeletePrecondition,
    options: DeleteOptions = {},
  ): Promise<boolean> {
    const { propagation = 'Background', gracePeriodSeconds } = options;
    const body = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: precondition,
      propagationPolicy: propagation,
      gracePeriodSeconds,
    };
    try {
      await this.#call({ method: 'DELETE', path: pathOf(resource, key), body, ...sendingOf(options) });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      if (!isConflict(error)) throw error;
      // The server refuses both preconditions with the same words, so the object itself must tell which one failed.
      const live = await this.get(resource, key, { signal: options.signal });
      if (live?.metadata.uid !== precondition.uid) return false;
      throw error;
    }
  }

  async watch(resource: Resource, options: WatchOptions, onEvent: (event: WatchEvent) => void): Promise<void> {
    const { namespace, labelSelector, fieldSelector, resourceVersion, timeoutSeconds, readDeadlineMs } = options;
    const call = {
      method: 'GET',
      path: pathOf(resource, { namespace }),
      query: {
        watch: true,
        allowWatchBookmarks: true,
        labelSelector,
        fieldSelector,
        resourceVersion,
        timeoutSeconds,
      },
      signal: options.signal,
    };
    await this.#within(call, readDeadlineMs, async (signal, renew) => {
      const answer = await this.#open(call, signal, true);
      renew();
      options.onOpen?.();
      for await (const line of linesOf(answer, LINE_BYTES_MAX)) {
        renew();
        const event = parseWatchLine(line);
        if (event instanceof ApiError) throw event;
        onEvent(event);
        if (event.type === 'Garbage') return;
      }
    });
  }

  raw(method: 'GET' | 'POST', path: string, body?: unknown, options: RawOptions = {}): Promise<unknown> {
    return this.#call({ method, path, body, accept: options.accept, ...sendingOf(options) });
  }

  /** Ends every connection. Calls under way reject. */
  close(): void {
    this.#transport.close();
  }

  async #object(call: Call): Promise<KubeObject> {
    return (await this.#call(call)) as KubeObject;
  }

  #call(call: Call): Promise<unknown> {
    return this.#within(call, CALL_DEADLINE_MS, async (signal) => {
      const answer = await this.#open(call, signal, false);
      return valueOf(answer, await textOf(answer));
    });
  }

  /** I1, I2. */
  async #within<T>(
    call: Call,
    deadlineMs: number,
    work: (signal: AbortSignal, renew: () => void) => Promise<T>,
  ): Promise<T> {
    const { clock, signal } = { clock: this.#clock, signal: call.signal };
    const expired = (): Error => new Error(`nothing came within ${deadlineMs} ms`);
    let stopped: AbortSignal | undefined;
    try {
      return await withDeadline({ clock, deadlineMs, signal, expired }, (stop, renew) => {
        stopped = stop;
        return work(stop, renew);
      });
    } catch (error) {
      // A bug in the consumer of the events is not a fault of the connection.
      if (error instanceof ApiError || error instanceof InvariantError) throw error;
      const cause: unknown = stopped?.aborted === true ? stopped.reason : error;
      throw new ConnectionError(`failed to ${textOfCall(call)}: ${messageOf(cause)}`, { cause });
    }
  }

  /** The answer, unless it is a refusal. */
  async #open(call: Call, signal: AbortSignal, isLong: boolean): Promise<IncomingMessage> {
    const { method, body, contentType = JSON_TYPE, accept = JSON_TYPE, beforeSending } = call;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers: Record<string, string> = { accept, 'user-agent': this.#userAgent };
    if (text !== undefined) {
      headers['content-type'] = contentType;
      headers['content-length'] = String(Buffer.byteLength(text));
    }
    const answer = await this.#counted(call, () =>
      this.#transport.open({ method, path: pathWithQuery(call), headers, body: text, isLong, beforeSending }, signal),
    );
    const status = answer.statusCode ?? 0;
    if (status >= 200 && status < 300) return answer;
    throw statusError(textOfCall(call), {
      status,
      headers: answer.headers,
      body: valueOf(answer, await textOf(answer)),
    });
  }

  async #counted({ method, signal }: Call, open: () => Promise<IncomingMessage>): Promise<IncomingMessage> {
    const host = this.#host;
    try {
      const answer = await open();
      this.#onAnswer({ method, host, code: String(answer.statusCode) });
      return answer;
    } catch (error) {
      // A call that its caller stopped tells nothing about the server.
      if (signal?.aborted !== true) this.#onAnswer({ method, host, code: '<error>' });
      throw error;
    }
  }
}

function sendingOf({ signal, beforeSending }: ChangeOptions): Pick<Call, 'signal' | 'beforeSending'> {
  return { signal, beforeSending };
}

function typed(resource: Resource, object: KubeObject): KubeObject {
  return { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind };
}

function writeQuery({ fieldManager, isDryRun }: WriteOptions): Query {
  return { fieldManager, dryRun: isDryRun === true ? 'All' : undefined };
}

function pathWithQuery({ path, query = {} }: Call): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return given.size === 0 ? path : `${path}?${given.toString()}`;
}

/** Without the query, which may hold more than a log line should. */
function textOfCall({ method, path, query }: Call): string {
  return query?.['watch'] === true ? `watch ${path}` : `${method} ${path}`;
}

/** I3. */
async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > ANSWER_BYTES_MAX) throw new Error(`the answer is larger than ${ANSWER_BYTES_MAX} bytes`);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function valueOf(answer: IncomingMessage, text: string): unknown {
  return (answer.headers['content-type'] ?? '').startsWith(JSON_TYPE) ? JSON.parse(text) : text;
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A connection that failed at several addresses has an empty message and a code.
  return error.message !== '' ? error.message : String((error as { readonly code?: string }).code ?? error.name);
}
