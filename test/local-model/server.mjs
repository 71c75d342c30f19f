/**
 * The Messages API over one engine, on loopback only.
 *
 * I1  Calls are answered one after the other, in the order in which they came.
 * I2  The seed of a call is the server's plus the number of the call, so a run that asks the same in the same order is repeated.
 * I3  Whoever goes away is not worked for: what waits is skipped, and what is written ends.
 *
 * @import { AddressInfo } from 'node:net'
 * @import { Engine } from './engine.mjs'
 * @import { Dialect } from './offer.mjs'
 * @import { MessagesRequest } from './request.mjs'
 *
 * @typedef {object} ServerOptions
 * @property {Engine} engine
 * @property {string} model  the name that it answers to
 * @property {Dialect} dialect
 * @property {number} seed
 * @property {number} answerTokensMax  of an answer, whatever a request allows
 * @property {number} port  0: any that is free
 * @property {(call: object) => void} record  is told of each call when it has ended
 */
import { createServer } from 'node:http';
import { answerBlocks, stopReasonOf } from './answer.mjs';
import { answerSchema } from './grammar.mjs';
import { errorOf, messageEvents, messageOf } from './message.mjs';
import { offerOf } from './offer.mjs';
import { promptOf } from './prompt.mjs';
import { readRequest } from './request.mjs';

/** Bytes of a body: the longest prompt that a context can hold is a hundredth of it. */
const BODY_BYTES_MAX = 32 * 1024 * 1024;

/** Milliseconds: a client takes silence for a lost connection, and the first word takes a minute. */
const PING_EVERY_MS = 5000;

/** Tokens that an answer has room for at least; a prompt that leaves fewer is too long. */
const ANSWER_TOKENS_MIN = 64;

/** The seeds of the engine have 32 bits. */
const SEEDS = 2 ** 32;

/** @param {ServerOptions} options @returns {Promise<{ readonly url: string, readonly close: () => Promise<void> }>} */
export async function startServer({ port, ...options }) {
  const state = { calls: 0, queue: Promise.resolve(), options };
  const server = createServer((request, response) => {
    void handle(state, request, response).catch((error) => {
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, errorOf(500, String(error)));
    });
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: heard } = /** @type {AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${heard}`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      await state.queue;
    },
  };
}

async function handle(state, request, response) {
  const { model } = state.options;
  const path = (request.url ?? '').replace(/\?.*$/, '');
  if (request.method === 'GET' && path === '/')
    return sendJson(response, 200, { model, pid: process.pid, calls: state.calls });
  if (request.method !== 'POST' || path !== '/v1/messages')
    return sendJson(response, 404, errorOf(404, `${request.method} ${path}: only POST /v1/messages is here`));
  const text = await bodyOf(request);
  if (text === undefined)
    return sendJson(response, 413, errorOf(413, `the body has more than ${BODY_BYTES_MAX} bytes`));
  const read = readRequest(text);
  if ('fault' in read) return sendJson(response, 400, errorOf(400, read.fault));
  return answer(state, read.request, response);
}

/** @returns {Promise<string | undefined>} undefined where it is too long */
async function bodyOf(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= BODY_BYTES_MAX) chunks.push(chunk);
  }
  return bytes > BODY_BYTES_MAX ? undefined : Buffer.concat(chunks).toString();
}

/** @param {MessagesRequest} request */
async function answer(state, request, response) {
  const { engine, dialect } = state.options;
  const offer = offerOf(request, dialect);
  const tokens = engine.tokenize(promptOf(request, offer));
  if (tokens.length + ANSWER_TOKENS_MIN > engine.contextTokens) {
    const most = engine.contextTokens - ANSWER_TOKENS_MIN;
    return sendJson(response, 400, errorOf(400, `prompt is too long: ${tokens.length} tokens > ${most} maximum`));
  }
  state.calls += 1;
  const call = { number: state.calls, request, offer, tokens, arrivedAtMs: Date.now() };
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const sender = request.stream === true ? streamed(response) : whole(response);
  const turn = state.queue.then(() => answerInTurn(state, call, sender, gone.signal));
  state.queue = turn.catch(() => undefined);
  return turn.finally(() => sender.end());
}

async function answerInTurn({ options }, { number, request, offer, tokens, arrivedAtMs }, sender, signal) {
  const { engine, model, record } = options;
  const seed = (options.seed + number) % SEEDS;
  const startMs = Date.now();
  const told = {
    at: new Date(arrivedAtMs).toISOString(),
    call: number,
    seed,
    waitedMs: startMs - arrivedAtMs,
    request,
  };
  const room = engine.contextTokens - tokens.length;
  const maxTokens = Math.min(request.max_tokens, options.answerTokensMax, room);
  try {
    signal.throwIfAborted();
    const generated = await engine.generate(tokens, {
      ...{ schema: answerSchema(offer), maxTokens, temperature: request.temperature, seed, signal },
    });
    const blocks = answerBlocks(generated.text, offer);
    const stopReason = stopReasonOf(blocks, generated.ending);
    const { text, cachedTokens, outputTokens } = generated;
    const usage = { inputTokens: tokens.length, cachedTokens, outputTokens };
    sender.send({ id: `msg_${seed}_${number}`, model, blocks, stopReason, ...usage });
    record({ ...told, text, blocks, stopReason, ...usage, ms: Date.now() - startMs });
  } catch (error) {
    const fault = signal.aborted ? 'the client went away' : String(error);
    record({ ...told, fault, inputTokens: tokens.length, ms: Date.now() - startMs });
    if (!signal.aborted) sender.fail(fault);
  }
}

/** What a client of a stream sees: pings until the answer is there. */
function streamed(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (type, data) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  const pings = setInterval(() => send('ping', {}), PING_EVERY_MS);
  return {
    send: (message) => messageEvents(message).forEach(([type, data]) => send(type, data)),
    fail: (fault) => send('error', errorOf(500, fault)),
    end: () => {
      clearInterval(pings);
      response.end();
    },
  };
}

function whole(response) {
  return {
    send: (message) => sendJson(response, 200, messageOf(message)),
    fail: (fault) => sendJson(response, 500, errorOf(500, fault)),
    end: () => response.end(),
  };
}

function sendJson(response, status, data) {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(data));
}
