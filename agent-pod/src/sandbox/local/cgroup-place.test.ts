import { describe, expect, it } from 'vitest';
import { cgroupPlaces } from './cgroup-place.ts';

const version1 = [
  '32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct',
  '36 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory',
  '39 31 0:36 / /sys/fs/cgroup/pids rw,relatime shared:3 - cgroup cgroup rw,pids',
  '22 1 0:5 / /proc rw - proc proc rw',
].join('\n');
const version2 = '30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate';

describe('cgroupPlaces', () => {
  it('finds every controller of version 1 below the own group', () => {
    const places = cgroupPlaces(version1, '4:memory:/agents/a\n8:pids:/\n1:cpu,cpuacct:/agents\n9:name=systemd:/\n');
    expect(places).toEqual([
      { version: 1, directory: '/sys/fs/cgroup/memory/agents/a', controllers: ['memory'] },
      { version: 1, directory: '/sys/fs/cgroup/pids', controllers: ['pids'] },
      { version: 1, directory: '/sys/fs/cgroup/cpu,cpuacct/agents', controllers: ['cpu'] },
    ]);
  });

  it('leaves out the part of the tree that a container does not see', () => {
    const mounts = '36 31 0:32 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory';
    expect(cgroupPlaces(mounts, '4:memory:/docker/abc/inner')).toEqual([
      { version: 1, directory: '/sys/fs/cgroup/memory/inner', controllers: ['memory'] },
    ]);
  });

  it.each([
    { own: '0::/user.slice/app.slice/run-1.scope', directory: '/sys/fs/cgroup/user.slice/app.slice' },
    { own: '0::/run-1.scope', directory: '/sys/fs/cgroup' },
    { own: '0::/', directory: '/sys/fs/cgroup' },
  ])('takes the place beside $own in version 2', ({ own, directory }) => {
    expect(cgroupPlaces(version2, own)).toEqual([{ version: 2, directory, controllers: ['memory', 'pids', 'cpu'] }]);
  });

  it.each([
    { name: 'nothing is mounted', mounts: '', own: '4:memory:/\n0::/' },
    { name: 'the process has no groups', mounts: version1, own: '' },
    { name: 'lines are not understood', mounts: 'a b c', own: 'what' },
  ])('finds none when $name', ({ mounts, own }) => {
    expect(cgroupPlaces(mounts, own)).toEqual([]);
  });
});
