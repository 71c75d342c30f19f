/** Features, rules and thresholds of the gates. Source: springdrift 2; design 5. */
import { z } from 'zod';
import { mapList, setList, withRules } from './cel-rule.ts';
import { HostPattern, PathGlob, Ratio, Re2Pattern, ReasonText, Slug, ToolPattern } from './fields.ts';
import { LEVEL_NAMES } from './levels.ts';

/** More features make a scoring call unreliable and expensive. */
export const FEATURES_MAX = 24;
const RULES_MAX = 64;
const AGENT_OVERRIDES_MAX = 24;
const ALLOW_LIST_MAX = 128;
/** Highest importance of a feature. Source: springdrift 2 (the worksheets' scale). */
export const IMPORTANCE_MAX = 5;
/** Highest magnitude of a forecast on the paper's scale. Source: springdrift 2. */
export const MAGNITUDE_MAX_PAPER = 5;
/** Highest magnitude and importance on the weighted scale. Source: springdrift 2. */
export const MAGNITUDE_MAX_WEIGHTED = 3;

/** A level of any scheme; rules of the CharacterSpec restrict it to the chosen one. */
export const Level = z.enum(LEVEL_NAMES);

const Importance = z.int().min(1).max(IMPORTANCE_MAX);

const FeatureTier = z
  .object({
    name: Slug.describe('Name of the tier.'),
    importance: Importance.describe('Weight of the tier; multiplies the weights of its features.'),
  })
  .describe('An upper tier of several features.');

/** Forecast by the scorer's model. */
export const GateFeature = z
  .object({
    name: z
      .string()
      .min(1)
      .max(63)
      .regex(/^[a-z][a-z0-9_]*$/)
      .describe('Name in snake case, as in the scorer’s answer.'),
    description: z.string().min(1).max(1024).describe('Description for the scorer, in one or two sentences.'),
    importance: Importance.describe('Weight: 1 to 5 on the Paper scale, 1 to 3 on the Weighted one.'),
    critical: z
      .boolean()
      .default(false)
      .describe(
        'Marks a harm: at its maximum the verdict is at least Modify, and no claim outweighs it. Critical features alone can refuse a call.',
      ),
    floor: z
      .object({
        magnitude: z.int().min(1).max(MAGNITUDE_MAX_PAPER).describe('Magnitude at which the floor starts to apply.'),
        verdict: z.enum(['Modify', 'Reject']).describe('The mildest possible verdict at or above that magnitude.'),
      })
      .optional()
      .describe('Floor of the verdict, so that many harmless features cannot dilute a severe one.'),
    level: Level.optional().describe('Level of the norm that the feature violates.'),
    claimLevel: Level.optional().describe(
      'Level of the user’s claim against that norm; absent: the lowest level of the scheme.',
    ),
    set: FeatureTier.optional().describe('Second tier.'),
    group: FeatureTier.optional().describe('Third tier.'),
  })
  .describe('One feature of the discrepancy score.');
export type GateFeature = z.infer<typeof GateFeature>;

/** Deterministic; never shown to a model. */
export const GateRule = z
  .object({
    id: Slug.describe('Id, which the record and refusals name.'),
    description: z.string().min(1).max(512).describe('Purpose of the rule.'),
    pattern: Re2Pattern.describe('RE2 expression that must match in the normalised text.'),
    verdict: z.enum(['Escalate', 'Reject']).describe('Verdict of a match.'),
    reason: ReasonText.describe('Reason for people when the rule matches; should not reveal the pattern.'),
  })
  .describe('One deterministic rule.');
export type GateRule = z.infer<typeof GateRule>;

/** Discrepancies of the paper. */
const MODIFY_FROM = 0.35;
const REJECT_FROM = 0.55;

/** Inside a list the API server fills in no default. */
const THRESHOLD_RULES = [
  {
    rule: `(has(self.modify) ? self.modify : ${MODIFY_FROM}) <= (has(self.reject) ? self.reject : ${REJECT_FROM})`,
    message: 'modify must not be above reject',
    fieldPath: '.modify',
  },
] as const;

export const GatePolicy = withRules(
  z
    .object({
      modify: Ratio.default(MODIFY_FROM).describe('At or above this discrepancy, the verdict is at least Modify.'),
      reject: Ratio.default(REJECT_FROM).describe('At or above this discrepancy, the verdict is Reject.'),
      canary: z
        .boolean()
        .default(false)
        .describe('First test on a probe model whether the text hijacks it or makes it reveal a secret.'),
      features: mapList(z.array(GateFeature).max(FEATURES_MAX), 'name')
        .default([])
        .describe('Features to score. Without features, the gate uses only its rules.'),
      rules: mapList(z.array(GateRule).max(RULES_MAX), 'id')
        .default([])
        .describe('Deterministic rules, in order; the first Reject wins, then the first Escalate.'),
    })
    .describe('Policy of one gate.'),
  THRESHOLD_RULES,
);
export type GatePolicy = z.infer<typeof GatePolicy>;

const AgentOverride = z
  .object({
    agent: z
      .string()
      .min(1)
      .max(63)
      .regex(/^[A-Z][A-Za-z0-9]*$/)
      .describe('Specialist, such as Comms.'),
    tool: GatePolicy.describe('Policy for the calls of this specialist, in addition to the shared tool gate.'),
  })
  .describe('Policy for one specialist.');

const SCORED = ['self.input.features', 'self.tool.features', 'self.output.features'] as const;

/** Importances and floors must stay on the chosen scale, for one list of features. */
function scaleRule(features: string, where: string) {
  const max = MAGNITUDE_MAX_WEIGHTED;
  return {
    rule: `self.scale != 'Weighted' || ${features}.all(f, f.importance <= ${max} && (!has(f.floor) || f.floor.magnitude <= ${max}))`,
    message: `${where}: on the Weighted scale importance and floor.magnitude go from 1 to ${max}`,
  };
}

export const GatePolicies = withRules(
  z
    .object({
      scale: z
        .enum(['Paper', 'Weighted'])
        .default('Paper')
        .describe(
          'Paper: importance 1-5, magnitude 0-5, sum divided by the greatest possible sum. Weighted: importance 1-3, magnitude 0-3, sum divided by the weights.',
        ),
      scoreFromClass: z
        .int()
        .min(0)
        .max(4)
        .default(1)
        .describe(
          'Lowest effect class of tool calls that are scored; calls below it pass only the deterministic rules.',
        ),
      input: GatePolicy.prefault({}).describe(
        'Gate for input: chat, mail, Tasks, and texts that tools read from outside.',
      ),
      tool: GatePolicy.prefault({}).describe('Gate for tool calls of all specialists.'),
      output: GatePolicy.prefault({}).describe('Gate for output: every outgoing text.'),
      agentOverrides: mapList(z.array(AgentOverride).max(AGENT_OVERRIDES_MAX), 'agent')
        .default([])
        .describe('Policies for single specialists, in addition to the tool gate.'),
      allowLists: z
        .object({
          paths: setList(z.array(PathGlob).max(ALLOW_LIST_MAX))
            .default([])
            .describe('Workspace paths that tools may use without escalation; empty allows all.'),
          domains: setList(z.array(HostPattern).max(ALLOW_LIST_MAX))
            .default([])
            .describe('Hosts that tools may reach without escalation; empty allows all.'),
          unscoredTools: setList(z.array(ToolPattern).max(ALLOW_LIST_MAX))
            .default([])
            .describe('Tools up to effect class 2 whose calls are not scored; each exemption is recorded.'),
        })
        .prefault({})
        .describe('Calls that the author of the character declares harmless.'),
      detector: z
        .boolean()
        .optional()
        .describe(
          'Read incoming texts a second time, by a statistical layer. It may raise a doubt where the shipped rules have none, and lower a doubt of theirs; it never lifts a block.',
        ),
    })
    .describe('Scales, thresholds, features and rules of the gates.'),
  [
    ...SCORED.map((features) => scaleRule(features, features.replace('self.', ''))),
    {
      rule: `self.scale != 'Weighted' || self.agentOverrides.all(o, !has(o.tool.features) || o.tool.features.all(f, f.importance <= ${MAGNITUDE_MAX_WEIGHTED} && (!has(f.floor) || f.floor.magnitude <= ${MAGNITUDE_MAX_WEIGHTED})))`,
      message: `agentOverrides: on the Weighted scale importance and floor.magnitude go from 1 to ${MAGNITUDE_MAX_WEIGHTED}`,
    },
  ],
);
export type GatePolicies = z.infer<typeof GatePolicies>;
