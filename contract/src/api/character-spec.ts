/** The kind CharacterSpec: an agent's persona and authority. Source: design 3; springdrift 1. */
import { z } from 'zod';
import { atomicList, mapList, withRules } from './cel-rule.ts';
import { Conditions } from './conditions.ts';
import { DNS_LABEL_LENGTH_MAX, HostPattern, PathGlob, Re2Pattern, Sha256Digest, Slug, ToolPattern } from './fields.ts';
import { GatePolicies, Level } from './gate-policy.ts';
import { LEVEL_SCHEME_NAMES, levelSchemeRules } from './levels.ts';
import { columns, kindSchema, nameRule } from './object.ts';
import type { KindDefinition } from './object.ts';

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
      'How the virtue shows in what the agent does.',
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
    id: Slug.describe('Id, named in axiom trails and refusals.'),
    description: z.string().min(1).max(1024).describe('The commitment, in one sentence.'),
    level: Level.describe('Level of the norm; it must belong to levelScheme.'),
    operator: z.enum(OPERATORS).describe('How strongly it binds.'),
    modality: z.enum(MODALITIES).default('Possible').describe('Whether it can be fulfilled at all.'),
  })
  .describe('One commitment.');
export type Proposition = z.infer<typeof Proposition>;

/** One rule of authority. A call matches if all given parts match. */
export const AuthorityEntry = withRules(
  z
    .object({
      id: Slug.describe('Id, named in refusals and in the record.'),
      description: z.string().min(1).max(512).describe('The rule in words, as refusals say it.'),
      tools: atomicList(z.array(ToolPattern).min(1).max(AUTHORITY_MATCHES_MAX))
        .optional()
        .describe('Names of tools; * stands for any run of characters.'),
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
          'Globs over the files that a call writes, relative to the workspace: *, ** and ?. What a script may write is limited by its mounts.',
        ),
      domains: atomicList(z.array(HostPattern).min(1).max(AUTHORITY_MATCHES_MAX))
        .optional()
        .describe('Hosts that the call reaches.'),
      pattern: Re2Pattern.optional().describe('RE2 expression, searched in the canonical JSON of the arguments.'),
    })
    .describe('One rule of authority.'),
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
      alone: AuthorityList.describe('Calls that need nobody else, unless an entry of consult or never matches too.'),
      consult: AuthorityList.describe('Calls that wait for the approval of a person.'),
      never: AuthorityList.describe('Calls that are refused, whoever asks. These win over all others.'),
    })
    .describe('Limits of the agent’s own authority, enforced on tool calls.'),
  [
    {
      rule: '!self.alone.exists(a, self.consult.exists(b, a.id == b.id) || self.never.exists(b, a.id == b.id)) && !self.consult.exists(a, self.never.exists(b, a.id == b.id))',
      message: 'an id may stand in only one of alone, consult and never',
    },
  ],
);
export type Authority = z.infer<typeof Authority>;

const CharacterSpecSpec = withRules(
  z
    .object({
      persona: z.string().min(1).max(PERSONA_LENGTH_MAX).describe('Who the agent is, in its own words.'),
      virtues: mapList(z.array(Virtue).max(VIRTUES_MAX), 'name').default([]).describe('Virtues and how they show.'),
      authority: Authority.prefault({}).describe('What the agent decides alone, asks about, never does.'),
      levelScheme: z
        .enum(LEVEL_SCHEME_NAMES)
        .default('Springdrift')
        .describe('Which ordered set of normative levels this character uses.'),
      highestEndeavour: mapList(z.array(Proposition).min(1).max(PROPOSITIONS_MAX), 'id').describe(
        'The commitments that every request is weighed against.',
      ),
      gatePolicies: GatePolicies.prefault({}).describe('Scales, thresholds, features and rules of the gates.'),
    })
    .describe('The character. Its digest is stamped on every gate record.'),
  levelSchemeRules,
);

const CharacterSpecStatus = z
  .object({
    observedGeneration: z.int().min(0).optional().describe('Generation of the spec that was read.'),
    digest: Sha256Digest.optional().describe('SHA-256 of the canonical JSON of the spec.'),
    inUseBy: z.int().min(0).optional().describe('Number of Agents that refer to this character.'),
    conditions: Conditions.optional(),
  })
  .describe('What the operator observed.');

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
      description: 'Chosen set of normative levels.',
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
