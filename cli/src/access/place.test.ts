import { describe, expect } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { placeOf, type PlaceFlags } from './place.ts';

describe('placeOf', () => {
  const rows: readonly (readonly [PlaceFlags, boolean, object])[] = [
    [{}, false, { where: 'Directory', data: undefined }],
    [{ data: 'd' }, false, { where: 'Directory', data: 'd' }],
    [{ data: 'd' }, true, { where: 'Directory', data: 'd' }],
    [{ namespace: 'weather' }, false, { where: 'Cluster', namespace: 'weather' }],
    [{ agent: 'ada' }, false, { where: 'Cluster', agent: 'ada' }],
    [{ context: 'prod' }, false, { where: 'Cluster', context: 'prod' }],
    [{ kubeconfig: 'file' }, false, { where: 'Cluster', kubeconfig: 'file' }],
    [{}, true, { where: 'Cluster' }],
  ];
  for (const [flags, isPlugin, value] of rows)
    verifies('cli-cluster:one-place', `${isPlugin ? 'kubectl ' : ''}retainer ${JSON.stringify(flags)}`, () => {
      expect(placeOf(flags, isPlugin)).toEqual({ ok: true, value });
    });

  verifies('cli-cluster:one-place', 'refuses both at once', () => {
    expect(placeOf({ data: 'd', namespace: 'weather', context: 'prod' }, false)).toEqual({
      ok: false,
      error: '--data means a directory here and -n, --context a cluster: leave one of them out',
    });
  });
});
