import type { Requirements } from './requirement.ts';

export const kubeRequirements = {
  'reliability-security 2': {
    'kube:every-call-ends':
      'A call to a server that is silent, half-open or slow to the last byte ends at its deadline.',
    'kube:delete-names-what-was-judged':
      'A delete holds for one uid and one version; a stranger of the same name stays.',
    'kube:watch-garbage':
      'A line that is no event, half a line or an endless one ends a watch, and the reflector lists anew.',
    'kube:watch-gone':
      'A version that is too old is told as 410 whether in the status or in the stream, and leads to a list.',
    'kube:silence-ends':
      'A silent watch is given up at its deadline, and the age of the last event grows until the server speaks.',
    'kube:one-list-at-once':
      'A resource of several namespaces is listed for one at a time, after a back-off with jitter.',
  },
  'aesthetics 3': {
    'kube:two-errors':
      'A call fails with what the server said, Retry-After included, or with the one error for answers that did not come.',
  },
  'platforms 6': {
    'kube:watch-resumes':
      'After its end or an error a watch goes on from the last version, bookmarks included, without a list.',
    'kube:list-replaces':
      'A list is paged, replaces the cache in one step, and tells of what went unseen with its last known state.',
    'kube:cache-indexes': 'Every index gives exactly the objects that a search through the whole cache would find.',
    'kube:queue-serial': 'No key is worked on twice at once, and no more keys at once than there are workers.',
    'kube:queue-loses-nothing':
      'Whatever is added is worked on after it was added, however often, and whatever fails is tried again.',
    'kube:queue-back-off':
      'A failing key waits 5 ms, then twice as long up to 1,000 s; success forgets it; all failures share a bucket.',
    'kube:queue-live-first': 'Live changes go before the initial list and resyncs.',
    'kube:queue-fair': 'Namespaces take turns, however many keys one of them has.',
    'kube:queue-yields':
      'However many keys are ready, timers fire between the passes, so that a Lease is renewed in time.',
    'kube:queue-drains': 'A stop takes nothing new, waits for running work, and aborts it after the grace.',
    'kube:events-are-harmless':
      'Events are written in the background, in series, within budgets; their loss is counted and harms nothing.',
    'kube:events-wait-for-the-server':
      'An event that finds no API server is written when it is back, where the program can tell.',
    'kube:metrics-as-dashboards-expect':
      "controller-runtime's metrics have its names, labels and buckets, and exist before anything happened.",
    'kube:probes-give-reasons':
      '/healthz and /readyz say yes, or no with reasons; an event loop that is late as a rule is unhealthy.',
    'kube:lets-itself-in':
      'In a pod the service account lets in, its token read anew for every request; elsewhere a kubeconfig does.',
  },
  'platforms 6; k8s.io/apiserver 0.34, cacheWatcher.process': {
    'kube:quiet-watch-lives':
      'A watch of a resource in which nothing happens has its bookmarks, and is neither cut nor called frozen.',
  },
  'reliability-security 7': {
    'kube:lease-one-holder':
      'Under cuts, pauses, lost replies and clocks that disagree, no two contenders hold a Lease at once.',
    'kube:lease-fail-over':
      'A crashed holder is replaced within 18 s, one that released within 3 s, and one cut off is silent after 10 s.',
    'kube:lease-epoch':
      'Every tenure has a higher epoch than all before it; a late renewal with nobody in between keeps it.',
  },
} as const satisfies Requirements;
