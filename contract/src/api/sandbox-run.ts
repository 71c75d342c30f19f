/**
 * The kind SandboxRun: one run of code, apart from the agent. Agents create it, people only read it.
 *
 * The object never contains code, files or input, but their digests: the agent sends the contents to the
 * sandbox runner directly. Source: design 3, 7 (sandbox transport).
 */
import { z } from 'zod';
import { atomicList, mapList, withRules } from './cel-rule.ts';
import type { CelRule } from './cel-rule.ts';
import { Conditions } from './conditions.ts';
import {
  DNS_LABEL_LENGTH_MAX,
  DurationText,
  HostPattern,
  Instant,
  LocalRef,
  PascalCase,
  RecordId,
  RelativePath,
  Resources,
  Sha256Digest,
} from './fields.ts';
import { columns, kindSchema, nameRule } from './object.ts';
import type { KindDefinition } from './object.ts';

const COMMAND_MAX = 64;
const FILES_MAX = 1024;
const PORTS_MAX = 5;
const EGRESS_MAX = 32;
/** Largest single input: 64 MiB. */
const CONTENT_BYTES_MAX = 67_108_864;

export const SANDBOX_LANGUAGES = ['Bash', 'JavaScript', 'Python'] as const;
export type SandboxLanguage = (typeof SANDBOX_LANGUAGES)[number];

const Content = z
  .object({
    digest: Sha256Digest.describe('SHA-256 of the content.'),
    sizeBytes: z.int().min(0).max(CONTENT_BYTES_MAX).describe('Size in bytes.'),
  })
  .describe('Content that the agent hands to the sandbox directly.');

const SPEC_RULES: readonly CelRule[] = [
  {
    rule: 'self == oldSelf',
    message: 'a SandboxRun cannot be changed; create a new one instead',
    reason: 'FieldValueForbidden',
  },
  {
    rule: 'has(self.command) != has(self.script)',
    message: 'exactly one of command and script must be given',
    fieldPath: '.command',
    reason: 'FieldValueRequired',
  },
  {
    rule: 'has(self.script) == has(self.language)',
    message: 'language must be given with script, and only with it',
    fieldPath: '.language',
    reason: 'FieldValueRequired',
  },
  {
    rule: "(self.mode == 'Serve') == (self.ports.size() > 0)",
    message: 'ports must be given in mode Serve, and only there',
    fieldPath: '.ports',
  },
  {
    rule: "duration(self.timeout) >= duration('1s') && duration(self.timeout) <= duration('24h')",
    message: 'timeout must be between 1s and 24h',
    fieldPath: '.timeout',
  },
];

const SandboxRunSpec = withRules(
  z
    .object({
      agentRef: LocalRef.describe('The Agent that runs code, in the same namespace.'),
      runId: RecordId.optional().describe('Run of the agent that this belongs to.'),
      mode: z
        .enum(['Run', 'Serve'])
        .default('Run')
        .describe('Run: to the end. Serve: keep the ports open until the time is up.'),
      command: atomicList(z.array(z.string().max(4096)).min(1).max(COMMAND_MAX))
        .optional()
        .describe('Program and arguments.'),
      script: Content.optional().describe('Script to run instead of a command.'),
      language: z.enum(SANDBOX_LANGUAGES).optional().describe('Language of the script.'),
      files: mapList(
        z
          .array(
            z
              .object({
                path: RelativePath.describe('Where it goes, relative to the work directory.'),
                digest: Sha256Digest.describe('SHA-256 of the content.'),
                sizeBytes: z.int().min(0).max(CONTENT_BYTES_MAX).describe('Size in bytes.'),
                executable: z.boolean().default(false).describe('Whether it may be executed.'),
              })
              .describe('A file that is there at the start.'),
          )
          .max(FILES_MAX),
        'path',
      )
        .default([])
        .describe('Files that are there at the start.'),
      stdin: Content.optional().describe('Standard input.'),
      timeout: DurationText.default('60s').describe('Time after which the run is killed.'),
      ports: mapList(
        z
          .array(
            z
              .object({
                name: z
                  .string()
                  .min(1)
                  .max(15)
                  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/)
                  .describe('Name of the port.'),
                port: z.int().min(1024).max(65_535).describe('Port the code listens on.'),
              })
              .describe('A port of mode Serve.'),
          )
          .max(PORTS_MAX),
        'name',
      )
        .default([])
        .describe('Ports that the agent forwards in mode Serve.'),
      egress: atomicList(z.array(HostPattern).max(EGRESS_MAX))
        .default([])
        .describe('Hosts that the code may reach, through the egress proxy; empty for none.'),
      resources: Resources.optional(),
      root: z
        .boolean()
        .default(false)
        .describe('Run as root of an own user namespace; refused where the Agent or the cluster does not allow it.'),
      runnerPublicKey: z
        .string()
        .max(64)
        .regex(/^[A-Za-z0-9+/]{43}=$/)
        .describe('Ed25519 public key, base64; the runner obeys requests signed with its private half only.'),
    })
    .describe('What to run and within which limits.'),
  SPEC_RULES,
);

const SandboxRunStatus = z
  .object({
    observedGeneration: z.int().min(0).optional().describe('Generation of the spec that was read.'),
    conditions: Conditions.optional(),
    endpoint: z.string().max(253).optional().describe('Host and port of the runner.'),
    podName: z.string().max(253).optional().describe('Pod in the sandbox namespace.'),
    podUid: z.string().max(64).optional().describe('Its identity, which every signed request names.'),
    claim: z
      .object({
        runUid: z.string().max(64).describe('This object’s own uid.'),
        signature: z.string().max(88).describe('The operator’s Ed25519 signature, base64.'),
      })
      .optional()
      .describe('For a sandbox that stood ready: the operator’s word that it belongs to this run. No secret.'),
    egress: z
      .object({
        proxy: z.string().max(253).describe('Host and port of the egress proxy.'),
        grant: z.string().max(4096).describe('What this run may reach, signed by the operator; the proxy asks for it.'),
      })
      .optional()
      .describe('Way out, for a run with egress.'),
    exitCode: z.int().min(-1).max(255).optional().describe('Exit code; -1 where a signal ended it.'),
    truncated: z.boolean().optional().describe('Whether output was cut at its limit.'),
    durationSeconds: z.number().min(0).optional().describe('Time the code ran.'),
    reason: PascalCase.optional().describe('Why the run ended.'),
    startedAt: Instant.optional().describe('When the code began.'),
    finishedAt: Instant.optional().describe('When it ended.'),
  })
  .describe('What the operator and the runner report.');

export const SandboxRun = kindSchema('SandboxRun', {
  spec: SandboxRunSpec,
  status: SandboxRunStatus,
  description: 'One run of code in a sandbox. Created by agents; people only read it.',
  rules: [nameRule(DNS_LABEL_LENGTH_MAX)],
});
export type SandboxRun = z.infer<typeof SandboxRun>;

export const sandboxRunDefinition: KindDefinition = {
  kind: 'SandboxRun',
  plural: 'sandboxruns',
  singular: 'sandboxrun',
  shortName: 'rrun',
  selectableFields: ['.spec.agentRef.name'],
  columns: columns(
    { name: 'Exit', type: 'integer', jsonPath: '.status.exitCode', description: 'Exit code.', priority: 0 },
    { name: 'Mode', type: 'string', jsonPath: '.spec.mode', description: 'Run or Serve.', priority: 1 },
    {
      name: 'Agent',
      type: 'string',
      jsonPath: '.spec.agentRef.name',
      description: 'Agent that created it.',
      priority: 1,
    },
    {
      name: 'Duration',
      type: 'number',
      jsonPath: '.status.durationSeconds',
      description: 'Seconds the code ran.',
      priority: 1,
    },
  ),
  schema: SandboxRun,
};
