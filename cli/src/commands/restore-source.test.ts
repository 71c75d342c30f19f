import { describe, expect } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { restoreSource } from './restore-source.ts';

describe('restoreSource', () => {
  verifies('backup:fetched', 'tells a directory from an address', () => {
    for (const path of ['clone.git', './a@b', '/srv/ada.git', 'ext::sh -c x'])
      expect(restoreSource(path)).toEqual({ ok: true, value: { kind: 'Directory', path } });
    const rows = [
      ['https://git.example.com/ada.git', 'https://git.example.com/ada.git'],
      ['HTTPS://git.example.com/Ada.git', 'https://git.example.com/Ada.git'],
      ['Ssh://git@git.example.com:22/ada.git', 'ssh://git@git.example.com:22/ada.git'],
      ['git@git.example.com:me/ada.git', 'git@git.example.com:me/ada.git'],
      ['file:///srv/ada.git', 'file:///srv/ada.git'],
      ['http://127.0.0.1:8080/ada.git', 'http://127.0.0.1:8080/ada.git'],
    ] as const;
    for (const [from, url] of rows) expect(restoreSource(from)).toEqual({ ok: true, value: { kind: 'Remote', url } });
  });

  verifies('backup:fetched', 'refuses what others could read, and what git would run', () => {
    const rows = [
      ['https://ada:secret@git.example.com/ada.git', /no name and no password.*set RETAINER_GIT_USERNAME/],
      ['https://token@git.example.com/ada.git', /no name and no password/],
      ['ssh://git:secret@git.example.com/ada.git', /no name and no password/],
      ['http://git.example.com/ada.git', /give one of https or ssh/],
      ['ftp://git.example.com/ada.git', /not one of ftp:/],
      ['ext://sh', /not one of ext:/],
      ['https://', /is no address/],
    ] as const;
    for (const [from, says] of rows) {
      const parsed = restoreSource(from);
      expect(parsed).toMatchObject({ ok: false, error: expect.stringMatching(says) });
      expect(JSON.stringify(parsed)).not.toMatch(/secret|token@/);
    }
  });
});
