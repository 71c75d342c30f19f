/** Chooses the model, and says why in plain words before anything runs. Pure. */
import type { Agent } from '@retainer/contract/api/agent';
import { err, ok, type Result } from '@retainer/contract/std/result';

/** `--model`; `auto` takes Claude if there is a key, whatever the Agent says. */
export const modelFlags = ['auto', 'scripted', 'claude'] as const;
export type ModelFlag = (typeof modelFlags)[number];

export interface ModelChoice {
  readonly provider: 'Scripted' | 'Anthropic';
  readonly baseURL?: string;
  /** Where the address is set; absent with the provider's own. */
  readonly addressName?: string;
  /** The model and the reason for it, in one line. */
  readonly because: string;
}

export interface ModelCircumstances {
  readonly models: Agent['spec']['models'];
  readonly hasKey: boolean;
  readonly baseURL: string | undefined;
  /** `--model`. */
  readonly flag: ModelFlag | undefined;
}

export function chooseModel(circumstances: ModelCircumstances): Result<ModelChoice, string> {
  const { models, hasKey, flag } = circumstances;
  if (flag === 'scripted') return scripted(circumstances, 'because of --model scripted');
  if (flag === 'claude') return claude(circumstances, 'because of --model claude');
  if (flag === 'auto' && hasKey) return claude(circumstances, 'because ANTHROPIC_API_KEY is set (--model auto)');
  if (models.provider !== 'Scripted') return claude(circumstances, 'because spec.models.provider of the Agent says so');
  const note = hasKey ? '; ANTHROPIC_API_KEY is not used (--model claude uses it)' : ': nothing leaves this machine';
  return scripted(circumstances, `because spec.models.provider of the Agent says so${note}`);
}

function scripted({ models }: ModelCircumstances, reason: string): Result<ModelChoice, string> {
  if (models.script === undefined) {
    return err('the Agent has no spec.models.script: set it, or use --model claude');
  }
  return ok({ provider: 'Scripted', because: `a script answers (${models.script}), no language model, ${reason}` });
}

function claude({ models, hasKey, baseURL }: ModelCircumstances, reason: string): Result<ModelChoice, string> {
  if (!hasKey) return err('Claude needs ANTHROPIC_API_KEY in the environment; without a key use --model scripted');
  const server = baseURL ?? models.baseURL;
  const where = server === undefined ? '' : ` at ${server}`;
  return ok({
    provider: 'Anthropic',
    ...(server === undefined ? {} : { baseURL: server, addressName: addressName(baseURL) }),
    because: `Claude answers (${models.capable}, ${models.fast})${where}, ${reason}`,
  });
}

/** The environment wins over the Agent. */
function addressName(baseURL: string | undefined): string {
  return baseURL === undefined ? 'spec.models.baseURL of the Agent' : 'ANTHROPIC_BASE_URL';
}
