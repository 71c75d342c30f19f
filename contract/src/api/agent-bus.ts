/** The transport of messages between the roles of an Agent's runs. Source: artoo A.2, C. */
import { z } from 'zod';
import { SecretKeyRef } from './fields.ts';

export const AgentBus = z
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
