/** Asks a model, makes its calls, and asks again, until it answers without a call or a bound is reached. That is all of it. */
import { askModel } from '@retainer/agent-pod/loop/ask-model';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
import { addUsage, noUsage, totalTokens } from '@retainer/mind/cycle/state';
import type { ContentBlock, Message, ModelRequest, Usage } from '@retainer/mind/request/model-request';
import type { BareTools } from './bare-tools.ts';

/** Model calls of one task: twice what a worker of Retainer may take for one attempt. */
const TURNS_MAX = 20;

export type BareOutcome = 'Answered' | 'CutOff' | 'TooManyTurns' | 'TooManyTokens' | 'TooLong' | 'NoModel';

export interface BareEnd {
  readonly outcome: BareOutcome;
  /** The last answer, or why there is none. */
  readonly text: string;
  readonly usage: Usage;
  readonly modelCalls: number;
}

export interface BareLoop {
  readonly model: ModelPort;
  readonly tools: BareTools;
  readonly request: Pick<ModelRequest, 'model' | 'system' | 'maxOutputTokens'>;
  /** Of one task. */
  readonly tokensMax: number;
  readonly wallClockMs: number;
}

/**
 * @param talk  the conversation so far, oldest first; grows
 * @param name  of the task: calls are named after it
 */
export async function askBare(talk: Message[], words: string, name: string, loop: BareLoop): Promise<BareEnd> {
  const { model, tools, request, tokensMax, wallClockMs } = loop;
  const signal = AbortSignal.timeout(wallClockMs);
  let [usage, modelCalls] = [noUsage, 0];
  const ended = (outcome: BareOutcome, text: string): BareEnd => ({ outcome, text, usage, modelCalls });
  say(talk, 'User', [{ type: 'Text', text: words }]);
  while (modelCalls < TURNS_MAX) {
    if (totalTokens(usage) >= tokensMax) return ended('TooManyTokens', `took more than ${tokensMax} tokens`);
    modelCalls += 1;
    const { answer, ...failed } = await askModel(
      { model },
      { ...request, role: 'bare', tier: 'Capable', messages: [...talk], tools: tools.specs },
      `${name}-m${modelCalls}`,
      // The signal ends it sooner.
      { signal, timeoutMs: 2 * wallClockMs, refusal: undefined, fallback: undefined },
    );
    if (signal.aborted) return ended('TooLong', `took longer than ${wallClockMs / 1000} s`);
    if (answer === undefined) return ended('NoModel', 'reason' in failed ? failed.reason : '');
    usage = addUsage(usage, answer.usage);
    say(talk, 'Assistant', answer.content);
    const calls = answer.content.filter((it) => it.type === 'ToolUse');
    if (calls.length === 0) return ended(answer.stop === 'MaxTokens' ? 'CutOff' : 'Answered', textIn(answer.content));
    const results: ContentBlock[] = [];
    // One after another: a later one may need what an earlier one wrote.
    for (const [at, call] of calls.entries())
      results.push(await resultOf(call, tools, { callId: `${name}-t${modelCalls}-${at + 1}`, signal }));
    say(talk, 'User', results);
  }
  return ended('TooManyTurns', `took more than ${TURNS_MAX} model calls`);
}

/** Turns alternate: after a task without an answer, the next one's words join what was said last. */
function say(talk: Message[], role: Message['role'], content: readonly ContentBlock[]): void {
  if (content.length === 0) return;
  const last = talk.at(-1);
  if (last?.role === role) talk.splice(-1, 1, { role, content: [...last.content, ...content] });
  else talk.push({ role, content });
}

function textIn(content: readonly ContentBlock[]): string {
  return content.map((block) => (block.type === 'Text' ? block.text : '')).join('');
}

async function resultOf(
  { id, name, input, fault }: Extract<ContentBlock, { type: 'ToolUse' }>,
  tools: BareTools,
  call: Parameters<BareTools['call']>[2],
): Promise<ContentBlock> {
  const { text, isError } = fault === undefined ? await tools.call(name, input, call) : { text: fault, isError: true };
  return { type: 'ToolResult', toolUseId: id, text, isError };
}
