/** A Messages API on loopback whose answers a test writes, and may hold back; those that are not of the work are answered at once. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { saidAgain } from '@retainer/mind/assemble/shared-start';
import {
  answerEvents,
  asksArchivist,
  asksDreamer,
  asksPerceiver,
  oneStep,
  refused,
  type PlayedBlock,
} from './messages-server.ts';
import { refusalOf, Seals } from './strict-messages.ts';

export interface ModelQuestion {
  /** Tool results in the conversation so far. */
  readonly results: number;
  /** The first user turn, with the Task that a run states at the start of its requests. */
  readonly task: string;
  /** Of all questions to this server, from 1. */
  readonly count: number;
}

export interface HeldModel {
  readonly url: string;
  /** Questions so far, but for the perceiver's, the Archivist's and the Dreamer's. */
  readonly questions: readonly ModelQuestion[];
  close(): Promise<void>;
}

/** @param answer  of the executor: blocks of one answer; a tool call where one of them is one */
export async function startHeldModel(
  answer: (question: ModelQuestion) => Promise<readonly PlayedBlock[]>,
): Promise<HeldModel> {
  const questions: ModelQuestion[] = [];
  const refusals: string[] = [];
  const seals = new Seals();
  const server = createServer((request, response) => {
    void (async () => {
      const body = JSON.parse(await readBody(request)) as {
        readonly system?: readonly Block[];
        readonly messages: readonly Turn[];
      };
      const refusal = refusalOf(body, seals);
      if (refusal !== undefined) {
        refusals.push(refusal);
        return refuse(response, refusal);
      }
      if (asksPerceiver(body)) return respond(response, oneStep);
      if (asksDreamer(body)) return respond(response, [{ type: 'text', text: '<words>Work as asked</words>' }]);
      if (asksArchivist(body)) return respond(response, [{ type: 'text', text: 'It went as asked.' }]);
      const question = {
        results: body.messages.flatMap(blocksOf).filter((block) => block.type === 'tool_result').length,
        task: saidAgain(
          textOf(blocksOf(body.messages[0])),
          (body.system ?? []).map(({ text = '' }) => text).join('\n\n'),
        ),
        count: questions.length + 1,
      };
      questions.push(question);
      const content = await answer(question);
      seals.giveAll([{ content }]);
      return respond(response, content);
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    questions,
    close: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      if (refusals.length > 0) throw new Error(`refused as the API would: ${refusals.join('; ')}`);
    },
  };
}

function refuse(response: ServerResponse, message: string): void {
  const { status, body } = refused(message);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function respond(response: ServerResponse, content: readonly PlayedBlock[]): void {
  const stopReason = content.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn';
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const [event, data] of answerEvents({ kind: 'Answer', content, stopReason }))
    response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  response.end();
}

interface Block {
  readonly type: string;
  readonly text?: string;
}

interface Turn {
  readonly content: string | readonly Block[];
}

function blocksOf(turn: Turn | undefined): readonly Block[] {
  if (turn === undefined) return [];
  return typeof turn.content === 'string' ? [{ type: 'text', text: turn.content }] : turn.content;
}

function textOf(blocks: readonly Block[]): string {
  return blocks.map((block) => block.text ?? '').join('');
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
