/** The kind Skill: a procedure that agents may follow. Source: design 3; artoo B, C; springdrift 12. */
import { z } from 'zod';
import { atomicList, mapList, setList, withRules, type CelRule } from './cel-rule.ts';
import { Conditions, ObservedGeneration } from './conditions.ts';
import { DNS_LABEL_LENGTH_MAX, LocalRef, ObjectName, RecordId, Sha256Digest, Slug } from './fields.ts';
import { columns, kindSchema, nameRule, type KindDefinition } from './object.ts';

/** Twice the longest of 200 published skills, and far below the API server's object limit. */
export const SKILL_TEXT_LENGTH_MAX = 131_072;
/** The model gets it with every request. Those who publish agreed on half of it, and some exceed that. */
const DESCRIPTION_LENGTH_MAX = 2048;
const DEPENDENCIES_MAX = 16;
const SCOPES_MAX = 32;

/** Sections, in this order, of a skill that an agent wants promoted. What people write may have any body. Source: artoo B. */
export const SKILL_SECTIONS = [
  'Purpose',
  'Triggers',
  'Preconditions',
  'Procedure',
  'Commands and tools',
  'Validation',
  'Failure modes and recovery',
  'Changelog',
] as const;

/** Source: artoo B. */
export const SKILL_LIFECYCLES = ['Core', 'Candidate', 'Learned', 'Deprecated', 'Failed'] as const;

const Semver = z
  .string()
  .min(5)
  .max(64)
  .regex(/^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9A-Za-z.-]+)?$/);

const SPEC_RULES: readonly CelRule[] = [
  {
    rule: 'has(self.body) != has(self.configMapRef)',
    message: 'exactly one of body and configMapRef must be given',
    fieldPath: '.body',
    reason: 'FieldValueRequired',
  },
  {
    rule: "!has(self.successor) || self.lifecycle == 'Deprecated'",
    message: 'only a Deprecated skill names a successor',
    fieldPath: '.successor',
  },
];

const SkillSpec = withRules(
  z
    .object({
      description: z
        .string()
        .min(1)
        .max(DESCRIPTION_LENGTH_MAX)
        .describe('Purpose of the skill and when to use it; the model sees only this before it reads the body.'),
      version: Semver.describe('Semantic version; every change of the body raises it.'),
      lifecycle: z
        .enum(['Core', 'Deprecated'])
        .default('Core')
        .describe('Core: written by people. Deprecated: readable, but not used automatically.'),
      successor: LocalRef.optional().describe('Skill that replaces a deprecated one.'),
      agents: setList(
        z
          .array(
            z
              .string()
              .min(1)
              .max(63)
              .regex(/^(\*|[A-Z][A-Za-z0-9]*)$/),
          )
          .min(1)
          .max(SCOPES_MAX),
      )
        .default(['*'])
        .describe('Specialists that may use it, such as Coder; * for all.'),
      contexts: setList(z.array(Slug).max(SCOPES_MAX))
        .default([])
        .describe('Domains in which it is offered; empty for all.'),
      dependencies: mapList(
        z
          .array(
            z
              .object({
                name: ObjectName.describe('Skill that this one builds on.'),
                version: Semver.describe('Minimum version.'),
              })
              .describe('A skill in the same namespace.'),
          )
          .max(DEPENDENCIES_MAX),
        'name',
      )
        .default([])
        .describe('Skills that this one requires.'),
      body: z
        .string()
        .min(1)
        .max(SKILL_TEXT_LENGTH_MAX)
        .optional()
        .describe('The procedure: SKILL.md without its front matter.'),
      configMapRef: z
        .object({
          name: ObjectName.describe('Name of the ConfigMap, in the same namespace.'),
          key: z
            .string()
            .min(1)
            .max(253)
            .regex(/^[-._a-zA-Z0-9]+$/)
            .default('SKILL.md')
            .describe('Key in the ConfigMap.'),
          digest: Sha256Digest.optional().describe(
            'SHA-256 of the text; a text with another digest is not mounted. Absent: the operator pins the first text that it sees of this version, in status.digest.',
          ),
        })
        .optional()
        .describe('A body in a ConfigMap, pinned by its digest.'),
      provenance: z
        .object({
          author: z.string().min(1).max(253).describe('Author: a person, or the agent that proposed it.'),
          source: z.string().max(2048).optional().describe('Kind of origin.'),
          derivedFrom: atomicList(z.array(z.string().min(1).max(253)).max(16))
            .optional()
            .describe('Skills or cases that it is based on.'),
          cycleId: RecordId.optional().describe('Cycle in which an agent proposed it.'),
        })
        .optional()
        .describe('Origin of the skill.'),
    })
    .describe('The procedure, and the specialists that may use it.'),
  SPEC_RULES,
);

const SkillStatus = z
  .object({
    observedGeneration: ObservedGeneration.optional(),
    digest: Sha256Digest.optional().describe('SHA-256 of the body that agents mount.'),
    pinnedVersion: Semver.optional().describe(
      'Version whose text status.digest pins; absent where spec.configMapRef.digest does, or spec.body is the text.',
    ),
    lifecycle: z.enum(SKILL_LIFECYCLES).optional().describe('Observed state.'),
    inUseBy: z.int().min(0).optional().describe('Number of Agents that mount it.'),
    conditions: Conditions.optional(),
  })
  .describe('Observed state, written by the operator.');

export const Skill = kindSchema('Skill', {
  spec: SkillSpec,
  status: SkillStatus,
  description: 'A procedure that agents may follow, in the SKILL.md format.',
  rules: [
    nameRule(DNS_LABEL_LENGTH_MAX),
    {
      rule: '!self.spec.dependencies.exists(d, d.name == self.metadata.name)',
      message: 'a Skill cannot depend on itself',
      fieldPath: '.spec.dependencies',
    },
    {
      rule: 'self.spec.version != oldSelf.spec.version || (has(self.spec.body) == has(oldSelf.spec.body) && (!has(self.spec.body) || self.spec.body == oldSelf.spec.body))',
      message: 'a changed body needs a new version',
      fieldPath: '.spec.version',
    },
  ],
});
export type Skill = z.infer<typeof Skill>;

export const skillDefinition: KindDefinition = {
  kind: 'Skill',
  plural: 'skills',
  singular: 'skill',
  shortName: 'rskill',
  selectableFields: [],
  columns: columns(
    { name: 'Version', type: 'string', jsonPath: '.spec.version', description: 'Version of the skill.', priority: 0 },
    { name: 'Lifecycle', type: 'string', jsonPath: '.status.lifecycle', description: 'Observed state.', priority: 1 },
    {
      name: 'In Use By',
      type: 'integer',
      jsonPath: '.status.inUseBy',
      description: 'Agents that mount it.',
      priority: 1,
    },
    { name: 'Digest', type: 'string', jsonPath: '.status.digest', description: 'Digest of the body.', priority: 1 },
  ),
  schema: Skill,
};
