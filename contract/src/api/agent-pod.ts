/**
 * Placement and resources of the agent's pod. Security settings are not configurable. Source: reliability-security 3;
 * platforms 5.
 */
import { z } from 'zod';
import { atomicList, withRules } from './cel-rule.ts';
import { LocalRef, ObjectName, PreservedObject, Resources } from './fields.ts';

const ENTRIES_MAX = 64;
const LabelMap = z.record(z.string().max(317), z.string().max(63));
/** Far below Kubernetes's limit of 256 KiB for all annotations of an object. */
const AnnotationMap = z.record(z.string().max(317), z.string().max(4096));

const bounded = { maxProperties: ENTRIES_MAX } as const;

export const AgentPod = withRules(
  z
    .object({
      image: z
        .string()
        .min(1)
        .max(512)
        .optional()
        .describe('Image, best pinned by digest; absent: the image of the installation.'),
      imagePullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']).optional().describe('Pull policy of the image.'),
      imagePullSecrets: atomicList(z.array(LocalRef).max(8)).default([]).describe('Pull secrets of the image.'),
      resources: Resources.optional().describe('Requests and limits of the agent’s container.'),
      auditorResources: Resources.optional().describe('Requests and limits of the auditor’s container.'),
      auditorStorage: z
        .string()
        .min(1)
        .max(32)
        .regex(/^[0-9]+(\.[0-9]+)?(m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?$/)
        .default('1Gi')
        .describe('Size of the auditor’s own volume.'),
      labels: LabelMap.meta(bounded)
        .optional()
        .describe('Further labels; keys of retainer.dev and app.kubernetes.io are reserved.'),
      annotations: AnnotationMap.meta(bounded)
        .optional()
        .describe('Further annotations; keys of retainer.dev are reserved.'),
      serviceAccountAnnotations: AnnotationMap.meta(bounded)
        .optional()
        .describe('Annotations of the ServiceAccount, for workload identity.'),
      nodeSelector: LabelMap.meta(bounded).optional().describe('Node selector of the pod.'),
      tolerations: atomicList(z.array(PreservedObject.describe('A toleration.')).max(16))
        .default([])
        .describe('Tolerations.'),
      affinity: PreservedObject.optional().describe('Affinity, as in a pod.'),
      topologySpreadConstraints: atomicList(z.array(PreservedObject.describe('A constraint.')).max(8))
        .default([])
        .describe('Topology spread constraints, as in a pod.'),
      priorityClassName: ObjectName.optional().describe('Priority class.'),
      runtimeClassName: ObjectName.optional().describe('Runtime class.'),
      schedulerName: ObjectName.optional().describe('Scheduler.'),
      hostUsers: z
        .boolean()
        .default(false)
        .describe('False gives the pod its own user namespace, if the cluster supports it.'),
      terminationGracePeriodSeconds: z
        .int()
        .min(5)
        .max(600)
        .default(60)
        .describe('Time for the agent to end the cycle and sync the journal.'),
      egressProxy: z
        .boolean()
        .default(false)
        .describe('Send all traffic to the model and to mail servers through the egress proxy.'),
      egressCidrs: atomicList(
        z
          .array(
            z
              .string()
              .min(1)
              .max(43)
              .regex(/^[0-9A-Fa-f.:]+\/[0-9]{1,3}$/),
          )
          .max(32),
      )
        .default([])
        .describe('Address ranges that the agent may reach besides the model and mail.'),
    })
    .describe('Settings of the agent’s pod.'),
  [
    {
      rule: "!has(self.labels) || self.labels.all(k, !k.startsWith('retainer.dev/') && !k.startsWith('app.kubernetes.io/'))",
      message: 'label keys of retainer.dev and app.kubernetes.io are reserved',
      fieldPath: '.labels',
      reason: 'FieldValueForbidden',
    },
    {
      rule: "!has(self.annotations) || self.annotations.all(k, !k.startsWith('retainer.dev/'))",
      message: 'annotation keys of retainer.dev are reserved',
      fieldPath: '.annotations',
      reason: 'FieldValueForbidden',
    },
  ],
);
export type AgentPod = z.infer<typeof AgentPod>;
