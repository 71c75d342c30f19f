/** The kind CharacterSpec: an agent's persona and authority. Source: design 3; springdrift 1. */
import { z } from 'zod';
import { atomicList, mapList, withRules } from './cel-rule.ts';
import { Conditions, ObservedGeneration } from './conditions.ts';
import { DNS_LABEL_LENGTH_MAX, HostPattern, PathGlob, Re2Pattern, Sha256Digest, Slug, ToolPattern } from './fields.ts';
import { GatePolicies, Level } from './gate-policy.ts';
import { LEVEL_SCHEME_NAMES, levelSchemeRules } from './levels.ts';
import { columns, kindSchema, nameRule, type KindDefinition } from './object.ts';

/** Longest persona: about 4,000 tokens of every prompt. */
const PERSONA_LENGTH_MAX = 16_384;
const VIRTUES_MAX = 16;
const EXPRESSIONS_MAX = 16;
/** Every user proposition is resolved against each of these. */
const PROPOSITIONS_MAX = 64;
const AUTHORITY_MAX = 64;
const AUTHORITY_MATCHES_MAX = 32;

export const Virtue = z
  .object({
    name: z.string().min(1).max(63).describe('Name of the virtue.'),
    expressions: atomicList(z.array(z.string().min(1).max(512)).min(1).max(EXPRESSIONS_MAX)).describe(
      'Behaviour that shows the virtue.',
    ),
  })
  .describe('A virtue.');
export type Virtue = z.infer<typeof Virtue>;

/** Binding force of a proposition, strongest first. Source: springdrift 1. */
export const OPERATORS = ['Required', 'Ought', 'Indifferent'] as const;
/** Whether a proposition can be fulfilled. Source: springdrift 1. */
export const MODALITIES = ['Possible', 'Impossible'] as const;

/** One normative proposition of the highest endeavour: the system side of the calculus. */
export const Proposition = z
  .object({
    id: Slug.describe('Id, which axiom trails and refusals name.'),
    description: z.string().min(1).max(1024).describe('The commitment, in one sentence.'),
    level: Level.describe('Level of the norm; it must belong to levelScheme.'),
    operator: z.enum(OPERATORS).describe('Strength of the obligation.'),
    modality: z.enum(MODALITIES).default('Possible').describe('Whether it can be fulfilled.'),
  })
  .describe('One commitment.');
export type Proposition = z.infer<typeof Proposition>;

/** One rule of authority. A call matches if all given parts match. */
export const AuthorityEntry = withRules(
  z
    .object({
      id: Slug.describe('Id, which refusals and the record name.'),
      description: z.string().min(1).max(512).describe('The rule in words, as refusals quote it.'),
      tools: atomicList(z.array(ToolPattern).min(1).max(AUTHORITY_MATCHES_MAX))
        .optional()
        .describe('Names of tools; * matches any characters.'),
      effectClass: z
        .int()
        .min(0)
        .max(4)
        .optional()
        .describe(
          'This effect class and every one above: 0 pure, 1 local, 2 external read, 3 external write, 4 irreversible.',
        ),
      paths: atomicList(z.array(PathGlob).min(1).max(AUTHORITY_MATCHES_MAX))
        .optional()
        .describe(
          'Globs for the files that a call writes, relative to the workspace: *, ** and ?. For scripts, the mounts limit writing instead.',
        ),
      domains: atomicList(z.array(HostPattern).min(1).max(AUTHORITY_MATCHES_MAX))
        .optional()
        .describe('Hosts that a call reaches.'),
      pattern: Re2Pattern.optional().describe('RE2 expression that must match in the canonical JSON of the arguments.'),
    })
    .describe('A rule of authority.'),
  [
    {
      rule: 'has(self.tools) || has(self.effectClass) || has(self.paths) || has(self.domains) || has(self.pattern)',
      message: 'a rule of authority needs at least one of tools, effectClass, paths, domains, pattern',
      reason: 'FieldValueRequired',
    },
  ],
);
export type AuthorityEntry = z.infer<typeof AuthorityEntry>;

const AuthorityList = mapList(z.array(AuthorityEntry).max(AUTHORITY_MAX), 'id').default([]);

/** Calls that need no approval, that need approval, and that are forbidden. */
export const Authority = withRules(
  z
    .object({
      alone: AuthorityList.describe('Calls that need no approval, unless an entry of consult or never matches, too.'),
      consult: AuthorityList.describe('Calls that need the approval of a person.'),
      never: AuthorityList.describe('Calls that are always refused. These entries override all others.'),
    })
    .describe('Limits of the agent’s own authority, enforced on tool calls.'),
  [
    {
      rule: '!self.alone.exists(a, self.consult.exists(b, a.id == b.id) || self.never.exists(b, a.id == b.id)) && !self.consult.exists(a, self.never.exists(b, a.id == b.id))',
      message: 'alone, consult and never must not share an id',
    },
  ],
);
export type Authority = z.infer<typeof Authority>;

const CharacterSpecSpec = withRules(
  z
    .object({
      persona: z.string().min(1).max(PERSONA_LENGTH_MAX).describe('Who the agent is, in its own words.'),
      confidential: z
        .boolean()
        .optional()
        .describe(
          'Whether nobody outside may learn anything of the persona; default: false. If true, the gates also count what the choice of addresses could tell.',
        ),
      virtues: mapList(z.array(Virtue).max(VIRTUES_MAX), 'name')
        .default([])
        .describe('Virtues, and the behaviour that shows them.'),
      authority: Authority.prefault({}).describe(
        'Authority: calls that the agent makes alone, with approval, or never.',
      ),
      levelScheme: z
        .enum(LEVEL_SCHEME_NAMES)
        .default('Springdrift')
        .describe('Ordered set of normative levels of this character.'),
      highestEndeavour: mapList(z.array(Proposition).min(1).max(PROPOSITIONS_MAX), 'id').describe(
        'Commitments against which the gates weigh every request.',
      ),
      gatePolicies: GatePolicies.prefault({}).describe('Scales, thresholds, features and rules of the gates.'),
    })
    .describe('The character. Every record of a gate contains its digest.'),
  levelSchemeRules,
);

const CharacterSpecStatus = z
  .object({
    observedGeneration: ObservedGeneration.optional(),
    digest: Sha256Digest.optional().describe('SHA-256 of the canonical JSON of the spec.'),
    inUseBy: z.int().min(0).optional().describe('Number of Agents that refer to this character.'),
    conditions: Conditions.optional(),
  })
  .describe('Observed state, written by the operator.');

export const CharacterSpec = kindSchema('CharacterSpec', {
  spec: CharacterSpecSpec,
  status: CharacterSpecStatus,
  description: 'The character of an agent: persona, virtues, authority, commitments and gate policies.',
  rules: [nameRule(DNS_LABEL_LENGTH_MAX)],
});
export type CharacterSpec = z.infer<typeof CharacterSpec>;

export const characterSpecDefinition: KindDefinition = {
  kind: 'CharacterSpec',
  plural: 'characterspecs',
  singular: 'characterspec',
  shortName: 'rchar',
  selectableFields: [],
  columns: columns(
    {
      name: 'Digest',
      type: 'string',
      jsonPath: '.status.digest',
      description: 'Digest of the character.',
      priority: 0,
    },
    {
      name: 'Levels',
      type: 'string',
      jsonPath: '.spec.levelScheme',
      description: 'Set of normative levels.',
      priority: 1,
    },
    {
      name: 'In Use By',
      type: 'integer',
      jsonPath: '.status.inUseBy',
      description: 'Agents with this character.',
      priority: 1,
    },
  ),
  schema: CharacterSpec,
};
