/** The model of each role. Source: design 3; artoo C, A.8; springdrift 6. */
import { z } from 'zod';
import { mapList, withRules } from './cel-rule.ts';
import { ConfigMapKeyRef, DurationText, HttpUrl, LocalRef, RelativePath, SecretKeyRef } from './fields.ts';
import { DEFAULT_MODELS, KNOWN_MODELS, MODEL_SUFFIX } from './known-models.ts';
import { NAMED_MODEL_ROLES, type ModelRole } from './roles.ts';

const ModelId = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:/@-]*$/);
const OutputTokens = z.int().min(256).max(128_000);
/** One price table entry per model is enough for any Agent. */
const PRICES_MAX = 16;

export const EFFORT_WORDS = ['None', 'Low', 'Medium', 'High', 'XHigh', 'Max'] as const;

const Thinking = withRules(
  z
    .object({
      effort: z.enum(EFFORT_WORDS).optional().describe('How hard the model thinks; None: as little as it can.'),
      budgetTokens: z.int().min(1024).max(64_000).optional().describe('Maximum tokens for thinking.'),
    })
    .describe(
      'Thinking before the answer, sent in the form that the model takes. Default: on for planner and validators of the tier Capable.',
    ),
  [
    {
      rule: 'has(self.effort) != has(self.budgetTokens)',
      message: 'thinking needs either effort or budgetTokens',
      fieldPath: '.effort',
    },
  ],
);
export type ThinkingWish = z.infer<typeof Thinking>;

const ModelRoleOverride = z
  .object({
    role: z.enum(NAMED_MODEL_ROLES).describe('The role.'),
    tier: z.enum(['Fast', 'Capable']).describe('Tier that the role uses.'),
    model: ModelId.optional().describe('Model id, if it differs from that of the tier.'),
    maxOutputTokens: OutputTokens.optional().describe('Maximum output tokens of one answer.'),
    thinking: Thinking.optional(),
    temperature: z.number().min(0).max(1).optional().describe('Sampling temperature.'),
  })
  .describe('Settings of one role that differ from its default.');
export type ModelRoleOverride = z.infer<typeof ModelRoleOverride>;

const Price = z.number().min(0).max(10_000);

const ModelPrice = z
  .object({
    model: ModelId.describe('Model id.'),
    input: Price.describe('US dollars per million input tokens.'),
    output: Price.describe('US dollars per million output tokens.'),
    cacheRead: Price.optional().describe('US dollars per million tokens read from the prompt cache.'),
    cacheWrite: Price.optional().describe('US dollars per million tokens written to the prompt cache.'),
  })
  .describe('Price of a model; replaces the built-in price.');
export type ModelPrice = z.infer<typeof ModelPrice>;

/** Models that refuse a temperature. */
const UNSAMPLED = KNOWN_MODELS.filter(({ sampling }) => !sampling).map(({ model }) => model);
const modelOfRole = "(has(r.model) ? r.model : (r.tier == 'Fast' ? self.fast : self.capable))";

const isFast = (role: ModelRole) => `self.roles.exists(r, r.role == '${role}' && r.tier == 'Fast')`;

export const AgentModels = withRules(
  z
    .object({
      provider: z
        .enum(['Anthropic', 'Scripted'])
        .default('Anthropic')
        .describe(
          'Anthropic: the Messages API, of Anthropic or a compatible server. Scripted: answers from a script, for tests and demonstrations.',
        ),
      baseURL: HttpUrl.optional().describe('Base URL of a server with the Messages API.'),
      apiKeySecretRef: SecretKeyRef.optional().describe(
        'Key of the provider. Runs on a local machine take it from ANTHROPIC_API_KEY instead.',
      ),
      caBundleRef: ConfigMapKeyRef.optional().describe(
        'Certificates of authorities, PEM, that are trusted beside the system’s when the model is called; read when the agent starts. Runs on a local machine take them from NODE_EXTRA_CA_CERTS instead.',
      ),
      script: RelativePath.optional().describe(
        'Script of the Scripted provider: a path relative to the manifest, or the key within scriptConfigMapRef on a cluster.',
      ),
      scriptConfigMapRef: LocalRef.optional().describe('ConfigMap that holds the script on a cluster.'),
      fast: ModelId.default(DEFAULT_MODELS.Fast).describe('Model of the tier Fast.'),
      capable: ModelId.default(DEFAULT_MODELS.Capable).describe('Model of the tier Capable.'),
      roles: mapList(z.array(ModelRoleOverride).max(NAMED_MODEL_ROLES.length), 'role')
        .default([])
        .describe('Roles that differ from their default tier, model or limits.'),
      prices: mapList(z.array(ModelPrice).max(PRICES_MAX), 'model')
        .default([])
        .describe('Prices of models, for the cost limits.'),
      structured: z
        .enum(['Auto', 'Schema', 'Tool', 'Xml'])
        .default('Auto')
        .describe(
          'Form of structured answers: a JSON schema that the provider enforces, the input of a forced tool call, or XML. Auto: the first of these that the model takes. A server that refuses the form is asked in XML.',
        ),
      fallback: z
        .enum(['OtherTier', 'None'])
        .default('OtherTier')
        .describe(
          'Who answers while a model is overloaded, broken or silent. OtherTier: the model of the other tier, but never a Fast one for a role that judges on the tier Capable.',
        ),
      requestTimeout: DurationText.default('5m').describe(
        'Maximum time of one answer, from the request to its end. A slow model may begin as late as it likes within it.',
      ),
      silenceTimeout: DurationText.default('1m').describe(
        'Maximum silence within an answer that has begun; the call is made again then.',
      ),
      maxRetries: z.int().min(0).max(10).default(3).describe('Maximum number of retries after a transient failure.'),
      structuredRetries: z
        .int()
        .min(0)
        .max(5)
        .default(2)
        .describe(
          'Maximum number of retries after an answer that does not fit its schema; each retry contains the error message.',
        ),
    })
    .describe('Models, and the settings of their calls.'),
  [
    {
      rule: "self.provider != 'Scripted' || has(self.script)",
      message: 'the provider Scripted needs script',
      fieldPath: '.script',
      reason: 'FieldValueRequired',
    },
    {
      rule: "self.provider == 'Scripted' || (!has(self.script) && !has(self.scriptConfigMapRef))",
      message: 'script and scriptConfigMapRef belong to the provider Scripted',
      fieldPath: '.script',
      reason: 'FieldValueForbidden',
    },
    {
      rule: "!has(self.scriptConfigMapRef) || !has(self.script) || !self.script.contains('/')",
      message: 'with scriptConfigMapRef, script is a key and must not hold "/"',
      fieldPath: '.script',
    },
    {
      rule: "self.provider == 'Anthropic' || (!has(self.apiKeySecretRef) && !has(self.baseURL) && !has(self.caBundleRef))",
      message: 'apiKeySecretRef, baseURL and caBundleRef belong to the provider Anthropic',
      fieldPath: '.apiKeySecretRef',
      reason: 'FieldValueForbidden',
    },
    {
      rule: `self.provider != 'Anthropic' || !self.roles.exists(r, has(r.temperature) && ${modelOfRole}.matches('^(${UNSAMPLED.join('|')})${MODEL_SUFFIX.replaceAll('\\', '\\\\')}$'))`,
      message: 'a role has a temperature, and its model takes none',
      fieldPath: '.roles',
    },
    {
      rule: `!${isFast('MetaValidator')} || ${isFast('Planner')}`,
      message:
        'a Fast MetaValidator must not judge a Capable Planner; set the MetaValidator to Capable or the Planner to Fast',
      fieldPath: '.roles',
    },
    {
      rule: `!${isFast('AgentValidator')} || ${isFast('Planner')}`,
      message:
        'a Fast AgentValidator must not judge the steps of a Capable Planner; set the AgentValidator to Capable or the Planner to Fast',
      fieldPath: '.roles',
    },
  ],
);
export type AgentModels = z.infer<typeof AgentModels>;
