/** The kind Agent: one long-lived individual. Source: design 3. */
import { z } from 'zod';
import { mapList, withRules } from './cel-rule.ts';
import { AgentChannels } from './agent-channels.ts';
import { AgentControl } from './agent-control.ts';
import { AgentJobs } from './agent-jobs.ts';
import { AgentBudgets, AgentCuriosity, AgentLimits, AgentScheduler } from './agent-limits.ts';
import { AgentMail } from './agent-mail.ts';
import { AgentMemory } from './agent-memory.ts';
import { AgentModels } from './agent-models.ts';
import { AgentPod } from './agent-pod.ts';
import { AgentSandbox } from './agent-sandbox.ts';
import { AgentGates, AgentSpecialists, AgentTools } from './agent-tools.ts';
import { AgentUpkeep } from './agent-upkeep.ts';
import { AgentWorkspace } from './agent-workspace.ts';
import { Conditions, ObservedGeneration } from './conditions.ts';
import { Instant, LocalRef, Sha256Digest, Uuid, SecretKeyRef } from './fields.ts';
import { AGENT_NAME_LENGTH_MAX, columns, kindSchema, nameRule, type KindDefinition } from './object.ts';

/** The transport of messages between the roles of an Agent's runs. Source: artoo A.2, C. */
const AgentBus = z
  .object({
    redis: z
      .object({
        urlSecretRef: SecretKeyRef.describe(
          'URL of the Redis, redis:// or rediss:// for TLS, with its password. Runs on a local machine take it from RETAINER_REDIS_URL instead.',
        ),
      })
      .optional()
      .describe(
        'A Redis whose streams carry the messages; absent: messages stay in the agent’s process. Add its addresses to pod.egressCidrs.',
      ),
  })
  .describe('Transport of the messages between the roles of a run.');

/** A prompt cannot list more skills. */
const SKILLS_MAX = 64;

const AgentSpec = withRules(
  z
    .object({
      description: z.string().max(1024).optional().describe('Purpose of the agent, for people.'),
      characterRef: LocalRef.describe('CharacterSpec of the agent.'),
      onCharacterChange: z
        .enum(['Continue', 'Hold', 'Cancel'])
        .default('Continue')
        .describe(
          'What becomes of open Tasks when the character changes. Continue: they go on under the new one, and people are asked again where its rules changed. Hold: each waits until a person lets it go on. Cancel: they end Cancelled.',
        ),
      skillRefs: mapList(z.array(LocalRef).max(SKILLS_MAX), 'name').default([]).describe('Skills of the agent.'),
      models: AgentModels.prefault({}),
      limits: AgentLimits.prefault({}),
      memory: AgentMemory.prefault({}),
      sandbox: AgentSandbox.prefault({}),
      tools: AgentTools.prefault({}),
      specialists: AgentSpecialists.prefault({}),
      channels: AgentChannels.prefault({}),
      bus: AgentBus.prefault({}),
      gates: AgentGates.prefault({}),
      control: AgentControl.prefault({}),
      scheduler: AgentScheduler.prefault({}),
      curiosity: AgentCuriosity.prefault({}),
      budgets: AgentBudgets.prefault({}),
      upkeep: AgentUpkeep.prefault({}),
      suspend: z.boolean().default(false).describe('True stops the pod and keeps the record.'),
      pod: AgentPod.prefault({}),
      workspace: AgentWorkspace.prefault({}),
    })
    .describe('Character, skills, limits and environment of the agent.'),
  [
    {
      rule: '!self.curiosity.enabled || self.scheduler.enabled',
      message: 'curiosity needs the scheduler',
      fieldPath: '.curiosity.enabled',
    },
    {
      rule: 'self.limits.outputTokensPerCall < self.limits.contextTokens',
      message: 'limits.outputTokensPerCall must be below limits.contextTokens',
      fieldPath: '.limits.outputTokensPerCall',
    },
    {
      rule: 'self.limits.outputTokensPerCall <= self.limits.tokensPerCycle',
      message: 'limits.outputTokensPerCall must not be above limits.tokensPerCycle',
      fieldPath: '.limits.tokensPerCycle',
    },
  ],
);

const Count = z.int().min(0);

const AgentStatus = z
  .object({
    observedGeneration: ObservedGeneration.optional(),
    conditions: Conditions.optional(),
    individual: Uuid.optional().describe(
      'Name of the individual, made at its first start and kept in its record for life; it goes where the volume goes.',
    ),
    characterDigest: Sha256Digest.optional().describe('Digest of the character of the running pod.'),
    skillsDigest: Sha256Digest.optional().describe('Digest of all mounted skills.'),
    configDigest: Sha256Digest.optional().describe('Digest of the mounted configuration.'),
    skills: Count.optional().describe('Number of mounted skills.'),
    podName: z.string().max(253).optional().describe('Name of the pod.'),
    endpoint: z.string().max(253).optional().describe('Host and port of its HTTP interface.'),
    journal: z
      .object({
        epoch: Count.describe('Number of writers that the journal has had so far.'),
        order: Count.describe('Sequence number of the last record.'),
        digest: Sha256Digest.describe('Digest of the heads of all stores.'),
        at: Instant.describe('Time of this reading.'),
      })
      .optional()
      .describe('Head of the journal, as the agent last published it.'),
    tasks: z
      .object({
        waiting: Count.optional().describe('Tasks admitted, not started.'),
        running: Count.optional().describe('Running Tasks.'),
        finished: Count.optional().describe('Ended Tasks, with any outcome.'),
        refused: Count.optional().describe('Tasks that ended Refused.'),
      })
      .optional()
      .describe('Number of Tasks of this agent, by state.'),
    backup: z
      .object({
        lastAt: Instant.optional().describe('Time of the last commit of the record to the repository on its volume.'),
        pushedAt: Instant.optional().describe('Time of the last push to the remote.'),
        unsavedSince: Instant.optional().describe('Since when a record waits for a commit that is late.'),
        unpushedSince: Instant.optional().describe('Since when a record waits for a push that is late.'),
      })
      .optional()
      .describe('Second copy of the record in git, as the agent tells it.'),
    jobs: AgentJobs.optional(),
    mail: AgentMail.optional(),
  })
  .describe('Observed state, written by the operator and the agent.');

export const Agent = kindSchema('Agent', {
  spec: AgentSpec,
  status: AgentStatus,
  description: 'A long-lived agent: one pod, one volume, one record.',
  rules: [nameRule(AGENT_NAME_LENGTH_MAX)],
});
export type Agent = z.infer<typeof Agent>;
export type AgentSpec = Agent['spec'];

export const agentDefinition: KindDefinition = {
  kind: 'Agent',
  plural: 'agents',
  singular: 'agent',
  shortName: 'rag',
  selectableFields: ['.spec.characterRef.name'],
  columns: columns(
    {
      name: 'Character',
      type: 'string',
      jsonPath: '.spec.characterRef.name',
      description: 'CharacterSpec of the agent.',
      priority: 0,
    },
    {
      name: 'Provider',
      type: 'string',
      jsonPath: '.spec.models.provider',
      description: 'Provider of its models.',
      priority: 1,
    },
    { name: 'Skills', type: 'integer', jsonPath: '.status.skills', description: 'Mounted skills.', priority: 1 },
    {
      name: 'Running',
      type: 'integer',
      jsonPath: '.status.tasks.running',
      description: 'Running Tasks.',
      priority: 1,
    },
    {
      name: 'Refused',
      type: 'integer',
      jsonPath: '.status.tasks.refused',
      description: 'Refused Tasks.',
      priority: 1,
    },
    {
      name: 'Suspended',
      type: 'boolean',
      jsonPath: '.spec.suspend',
      description: 'Whether the agent is suspended.',
      priority: 1,
    },
  ),
  schema: Agent,
};
