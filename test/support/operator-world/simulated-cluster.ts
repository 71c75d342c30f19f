/** The rest of a cluster, as far as the operator depends on it: one step of everybody at each tick. Test equipment. */
import type { Clock } from '@retainer/contract/std/clock';
import type { FakeApiServer } from '../fake-api-server/fake-api-server.ts';
import { tickAgents } from './simulated-agent.ts';
import { tickJobs } from './simulated-job.ts';
import { tickPods } from './simulated-kubelet.ts';
import { tickStatefulSets } from './simulated-stateful-set.ts';

/** @returns whether anything changed */
export function tickCluster(server: FakeApiServer, clock: Clock): boolean {
  const before = server.store.revision;
  tickStatefulSets(server);
  tickJobs(server, clock);
  tickPods(server, clock);
  tickAgents(server, clock);
  server.collectGarbage();
  return server.store.revision > before;
}
