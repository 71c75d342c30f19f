/** A model that always wants one more call, and uses all that it may. What it used is counted here, whatever the agent records. */
import { ok } from '@retainer/contract/std/result';
import type { ContentBlock, ModelRequest } from '@retainer/mind/request/model-request';
import { promptTokens } from '@retainer/mind/assemble/request-size';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';

export interface GreedyModel extends ModelPort {
  readonly calls: readonly { readonly callId: string; readonly tokens: number }[];
  /** Of all calls together. */
  readonly usedTokens: number;
}

/** @param promptFactor  how many tokens the provider counts for one that the agent estimates */
export function greedyModel(promptFactor = 1, toolCall = look): GreedyModel {
  const calls: { readonly callId: string; readonly tokens: number }[] = [];
  return {
    name: 'greedy',
    calls,
    get usedTokens() {
      return calls.reduce((sum, { tokens }) => sum + tokens, 0);
    },
    infer: (request, { callId }) => {
      const inputTokens = Math.ceil(promptTokens(request) * promptFactor);
      const outputTokens = request.maxOutputTokens;
      calls.push({ callId, tokens: inputTokens + outputTokens });
      const content = contentOf(request, toolCall(calls.length));
      const isDone = content.every((block) => block.type === 'Text');
      return Promise.resolve(
        ok({
          content,
          stop: isDone ? 'EndTurn' : 'ToolUse',
          usage: { inputTokens, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0 },
          model: request.model,
          latencyMs: 1,
          attempts: 1,
        }),
      );
    },
  };
}

type ToolCall = Pick<Extract<ContentBlock, { type: 'ToolUse' }>, 'name' | 'input'>;

/** Never the same one twice. */
const look = (call: number): ToolCall => ({ name: 'look', input: { call } });

function contentOf({ role }: ModelRequest, call: ToolCall): readonly ContentBlock[] {
  if (role === 'executor') return [{ type: 'ToolUse', id: `u-${JSON.stringify(call.input)}`, ...call }];
  const task = '<task slug="work" shape="SingleStep"><intent>Do it.</intent></task>';
  return [{ type: 'Text', text: `<perception>${task}</perception>` }];
}
