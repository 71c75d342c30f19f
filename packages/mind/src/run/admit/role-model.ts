/** Which model a role asks, how, and which one in its place. Pure. */
import type { AgentModels } from '@retainer/contract/api/agent-models';
import { knownModel } from '@retainer/contract/api/known-models';
import type { ModelTier } from '@retainer/contract/api/roles';
import type { AskedModel } from '../../cycle/event.ts';
import { modelAsk, type AskQuestion } from './model-ask.ts';

export interface RoleModel {
  readonly role: string;
  readonly tier: ModelTier;
  readonly model: string;
  /** Of one answer; absent: the Agent's limit. */
  readonly outputTokens?: number;
  readonly temperature?: number;
}

/** The Agent's override for a role has precedence over the role's tier. */
export function roleModel(models: AgentModels, role: string, usual: ModelTier): RoleModel {
  const override = models.roles.find((it) => it.role === role);
  const tier = override?.tier ?? usual;
  const { maxOutputTokens: outputTokens, temperature } = override ?? {};
  return {
    role,
    tier,
    model: override?.model ?? modelOf(models, tier),
    ...(outputTokens === undefined ? {} : { outputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
  };
}

/** What answers and costs depend on besides the Agent. */
export interface Surroundings {
  /** Absent: a script. */
  readonly provider?: AgentModels['provider'];
  /** Absent: no price is known. */
  readonly priceOf?: (model: string) => AskedModel['price'] | undefined;
}

/** The model of a role, and the one that answers while it is out of reach. */
export function askedModels(
  models: AgentModels,
  own: RoleModel,
  surroundings: Surroundings,
): AskedModel & { readonly fallback?: AskedModel } {
  const other = otherTier(models, own);
  return {
    ...asked(models, own, surroundings),
    ...(other === undefined ? {} : { fallback: asked(models, other, surroundings) }),
  };
}

/** For simple work, where nobody chose a model for the role; undefined: the role's own does it. */
export function lightModel(models: AgentModels, own: RoleModel, surroundings: Surroundings): AskedModel | undefined {
  const isChosen = models.roles.some((it) => it.role === own.role);
  if (isChosen || own.tier === 'Fast' || models.fast === own.model) return undefined;
  return asked(models, { ...own, tier: 'Fast', model: models.fast }, surroundings);
}

/** Who judges must not be weaker than it was set up to be. */
const JUDGES: ReadonlySet<string> = new Set(['AgentValidator', 'MetaValidator', 'Scorer', 'Canary', 'Reader']);

function otherTier(models: AgentModels, own: RoleModel): RoleModel | undefined {
  if (models.fallback === 'None' || (own.tier === 'Capable' && JUDGES.has(own.role))) return undefined;
  const tier = own.tier === 'Capable' ? 'Fast' : 'Capable';
  const model = modelOf(models, tier);
  return model === own.model ? undefined : { ...own, tier, model };
}

function asked(models: AgentModels, own: RoleModel, { provider = 'Scripted', priceOf }: Surroundings): AskedModel {
  const { role, tier, model, temperature } = own;
  const price = priceOf?.(model);
  const takesTemperature = provider === 'Scripted' || knownModel(model)?.sampling !== false;
  return {
    tier,
    model,
    ...(price === undefined ? {} : { price }),
    ...(temperature === undefined || !takesTemperature ? {} : { temperature }),
    ask: modelAsk({ ...wishOf(models, role, tier), model, structured: models.structured, provider }),
  };
}

function modelOf({ fast, capable }: AgentModels, tier: ModelTier): string {
  return tier === 'Fast' ? fast : capable;
}

const THINKS: ReadonlySet<string> = new Set(['Planner', 'AgentValidator', 'MetaValidator']);

/** Roles that plan and judge on the capable tier think, unless the Agent says otherwise. */
function wishOf({ roles }: AgentModels, role: string, tier: ModelTier): Pick<AskQuestion, 'thinking'> {
  const thinking = roles.find((it) => it.role === role)?.thinking;
  if (thinking !== undefined) return { thinking };
  return tier === 'Capable' && THINKS.has(role) ? { thinking: { effort: 'Medium' } } : {};
}
