import type { Requirements } from './requirement.ts';

export const operatorFaultRequirements = {
  'reliability-security 7': {
    'operator:crash-anywhere':
      'Killed before or after any API call and started again, the operator comes to the same state within 30 s: nothing twice, nothing left over, no claim deleted.',
    'operator:missed-events':
      'An event that is lost is made up for by the next full list, a broken, half-open or garbled watch within 60 s of its end; frozen watches turn readiness false within 90 s.',
    'operator:server-away':
      'After an outage of the API server the operator leads again within 18 s, with one full list of each resource, and deletes nothing.',
    'operator:api-away':
      'While the API server is away again and again, an agent at work fails no cycle, is not restarted and loses nothing; within 10 s of each return all that was begun is told and new work is done; nothing is done twice or deleted, and each process lists each resource at most once. The bus between agents is judged with the bus.',
    'operator:stale-reads':
      'With lists and watches up to ten revisions behind, and a restart meanwhile, nothing that is still wanted is deleted; every delete names uid and version.',
    'operator:refused-writes':
      'With each distinct write refused twice (409, 500, 429) or its answer lost, the operator comes to the same state.',
    'operator:quiet':
      'A change costs at most three writes of a status; in ten idle minutes nothing is written but the Lease.',
    'operator:any-change':
      'Each leaf of each CRD changed in five manners is refused at admission or judged within 5 s, crashes nothing, and leaves everything as if it had been so from the beginning.',
    'operator:failover':
      'A crashed leader is replaced within 18 s, one that is told to stop within 3 s; one that is held still or cut off sends no write once another one leads.',
    'operator:least-privilege':
      'With exactly the rights that are shipped the operator is refused nothing in the whole life cycle, and no right stays unused.',
  },
} as const satisfies Requirements;
