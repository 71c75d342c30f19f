/** What a role's model is asked for beside text, as far as the table says that the model takes it. Pure. */
import type { AgentModels, EFFORT_WORDS, ThinkingWish } from '@retainer/contract/api/agent-models';
import { knownModel, type ModelRow } from '@retainer/contract/api/known-models';
import type { ModelAsk } from '../../cycle/request-record.ts';
import type { Effort, Thinking } from '../../request/model-request.ts';

export interface AskQuestion {
  readonly model: string;
  readonly provider: AgentModels['provider'];
  readonly structured: AgentModels['structured'];
  /** Absent: none is wanted. */
  readonly thinking?: ThinkingWish;
}

type EffortWord = Exclude<(typeof EFFORT_WORDS)[number], 'None'>;

/** The two forms of one wish. A budget asks for the least effort that has as many tokens. */
const EFFORTS: Readonly<Record<EffortWord, { readonly effort: Effort; readonly budgetTokens: number }>> = {
  Low: { effort: 'low', budgetTokens: 1024 },
  Medium: { effort: 'medium', budgetTokens: 4096 },
  High: { effort: 'high', budgetTokens: 16_384 },
  XHigh: { effort: 'xhigh', budgetTokens: 32_768 },
  Max: { effort: 'max', budgetTokens: 64_000 },
};

/** Schema before a forced call before XML. A model without a row, and a script, take XML alone. */
export function modelAsk({ model, provider, structured, thinking }: AskQuestion): ModelAsk {
  const row = provider === 'Scripted' ? undefined : knownModel(model);
  const thought = row === undefined ? undefined : thinkingFor(row, thinking);
  const isThinking = thought?.mode === 'Adaptive' || thought?.mode === 'Budget';
  const answers = structured === 'Auto' ? formFor(row, isThinking) : structured;
  return {
    answers: answers === 'Tool' && isThinking ? 'Xml' : answers,
    ...(thought === undefined ? {} : { thinking: thought }),
  };
}

function formFor(row: ModelRow | undefined, isThinking: boolean): ModelAsk['answers'] {
  if (row?.schema === true) return 'Schema';
  return row?.forcedTool === true && !isThinking ? 'Tool' : 'Xml';
}

function thinkingFor(row: ModelRow, wish: ThinkingWish | undefined): Thinking | undefined {
  const word = wordOf(wish);
  if (row.thinking === 'None') return undefined;
  if (word === undefined) return unthinking(row);
  const { effort, budgetTokens } = EFFORTS[word];
  if (row.thinking === 'Adaptive')
    return { mode: 'Adaptive', effort: effort === 'xhigh' && row.xhigh === false ? 'high' : effort };
  return { mode: 'Budget', budgetTokens: wish?.budgetTokens ?? budgetTokens };
}

function unthinking({ thinkingOff }: ModelRow): Thinking | undefined {
  switch (thinkingOff) {
    case 'Omit':
      return undefined;
    case 'Never':
      return { mode: 'Adaptive', effort: 'low' };
    case 'Disabled':
    case 'BetweenTools':
      return { mode: thinkingOff };
  }
}

function wordOf(wish: ThinkingWish | undefined): EffortWord | undefined {
  if (wish === undefined || wish.effort === 'None') return undefined;
  if (wish.effort !== undefined) return wish.effort;
  const words = Object.keys(EFFORTS) as readonly EffortWord[];
  return words.find((word) => EFFORTS[word].budgetTokens >= (wish.budgetTokens ?? 0)) ?? 'Max';
}
