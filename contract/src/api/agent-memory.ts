/** Where the record is stored and how the agent recalls it. Source: design 3; springdrift 0, 2, 14; artoo C, B. */
import { z } from 'zod';
import { withRules } from './cel-rule.ts';
import { ConfigMapKeyRef, DurationText, HttpUrl, LocalRef, Quantity, Ratio, SecretKeyRef } from './fields.ts';

/**
 * What the agent's name and its sensorium may need at most, with nothing from memory, in characters. It grows with the sensorium: a
 * smaller number in a manifest or a record counts as this one, so that no new version refuses an Agent of an older one.
 */
export const PREAMBLE_CHARACTERS_MIN = 8100;

/** Weights by which cases are ranked, by name. */
const RECALL_PRESETS = ['Adaptive', 'Paper', 'Hybrid', 'Index', 'Field'] as const;

const Days = z.int().min(1).max(36_500);
const Count = z.int().min(0).max(1000);

const Embedding = withRules(
  z
    .object({
      provider: z
        .enum(['Words', 'Http', 'None'])
        .default('Words')
        .describe(
          'Words: the table of English words that is shipped; nothing leaves the pod. Http: a server with the embeddings API of OpenAI. None: texts are compared by their words alone.',
        ),
      baseURL: HttpUrl.optional().describe('Base URL of the server, without /embeddings.'),
      model: z.string().min(1).max(128).optional().describe('Model id, as the server knows it.'),
      apiKeySecretRef: SecretKeyRef.optional().describe(
        'Key of the server; absent: it asks for none. Runs on a local machine take it from RETAINER_EMBEDDING_API_KEY instead.',
      ),
    })
    .describe(
      'Who turns texts into vectors, by which memory compares what they mean. A vector that is not there within 250 ms counts as none.',
    ),
  [
    {
      rule: "self.provider != 'Http' || (has(self.baseURL) && has(self.model))",
      message: 'the provider Http needs baseURL and model',
      fieldPath: '.provider',
    },
    {
      rule: "self.provider == 'Http' || (!has(self.baseURL) && !has(self.model) && !has(self.apiKeySecretRef))",
      message: 'baseURL, model and apiKeySecretRef belong to the provider Http',
      fieldPath: '.provider',
    },
  ],
);

export const AgentMemory = withRules(
  z
    .object({
      storage: Quantity.default('10Gi').describe('Size of the volume.'),
      storageClassName: z
        .string()
        .min(1)
        .max(253)
        .optional()
        .describe('StorageClass; absent: the default of the cluster.'),
      onDelete: z
        .enum(['Retain', 'Delete'])
        .default('Retain')
        .describe('Fate of the volume when the Agent is deleted.'),
      windowDays: Days.default(30).describe(
        'Number of days over which runs and kept outputs are searched; older ones are read on demand. Facts, cases, threads and lessons stay for life.',
      ),
      gitCommitInterval: DurationText.default('5m').describe('Interval between commits of the record to git.'),
      gitRemote: z
        .object({
          url: z
            .string()
            .max(2048)
            .regex(/^(https:\/\/[^\s@]+|ssh:\/\/[^\s]+|[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:[^\s]+)$/)
            .describe('Address of the remote repository, without credentials.'),
          branch: z
            .string()
            .min(1)
            .max(128)
            .regex(/^[A-Za-z0-9][A-Za-z0-9._/-]*$/)
            .default('main')
            .describe('Branch to push to.'),
          credentialsSecretRef: LocalRef.optional().describe('Secret with ssh-privatekey, or username and password.'),
          caBundleRef: ConfigMapKeyRef.optional().describe(
            'Certificates of authorities, PEM, that are trusted beside the usual ones when an https address is pushed to; read for each push. Runs on a local machine take them from NODE_EXTRA_CA_CERTS instead.',
          ),
          pushInterval: DurationText.default('15m').describe('Interval between pushes.'),
        })
        .optional()
        .describe('Copy of the record outside the cluster.'),
      halfLifeDays: z
        .object({ facts: Days.default(30).describe('Half-life of the confidence of facts, in days.') })
        .prefault({})
        .describe('Decay of confidence; stored values never change. Cases do not decay.'),
      recall: z
        .object({
          cases: z.int().min(0).max(20).default(4).describe('Maximum number of cases recalled for a cycle.'),
          minScore: Ratio.default(0.01).describe('Minimum score of a recalled case.'),
          preset: z
            .enum(RECALL_PRESETS)
            .default('Adaptive')
            .describe(
              'Weights of the signals by which cases are ranked. Adaptive: words as far as they are found, then meaning. Paper, Hybrid, Index, Field: as published for Springdrift.',
            ),
          preambleChars: z
            .int()
            .min(1)
            .max(64_000)
            .default(8500)
            .describe(
              `Maximum length of what a prompt says of the agent itself and of its memory, in characters. Its name and its state, which are never cut, may need ${PREAMBLE_CHARACTERS_MIN}: a smaller number counts as that.`,
            ),
        })
        .prefault({})
        .describe('Recall of memory into each prompt.'),
      embedding: Embedding.prefault({}),
      snapshots: z
        .object({
          daily: Count.default(7).describe('Number of daily snapshots to keep.'),
          weekly: Count.default(4).describe('Number of weekly snapshots to keep.'),
          monthly: Count.default(12).describe('Number of monthly snapshots to keep.'),
          volumeSnapshotClassName: z
            .string()
            .min(1)
            .max(253)
            .optional()
            .describe('Also take VolumeSnapshots of this class.'),
        })
        .prefault({})
        .describe('Snapshots of the record.'),
      blobThresholdBytes: z
        .int()
        .min(1024)
        .max(1_048_576)
        .default(65_536)
        .describe('Payloads above this size are stored compressed in separate files, named by digest.'),
    })
    .describe('Storage and recall of the record.'),
  [
    {
      rule: "duration(self.gitCommitInterval) >= duration('1s')",
      message: 'gitCommitInterval must be at least 1s',
      fieldPath: '.gitCommitInterval',
    },
    {
      rule: '!has(oldSelf.storageClassName) ? !has(self.storageClassName) : has(self.storageClassName) && self.storageClassName == oldSelf.storageClassName',
      message: 'storageClassName cannot be changed; the volume exists already',
      fieldPath: '.storageClassName',
      reason: 'FieldValueForbidden',
    },
  ],
);
export type AgentMemory = z.infer<typeof AgentMemory>;
