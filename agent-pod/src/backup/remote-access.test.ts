import { describe, expect } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { lackingCredentials } from './remote-access.ts';

const KEY = { kind: 'Key', key: 'k' } as const;
const PASSWORD = { kind: 'Password', username: 'ada', password: 'p' } as const;

describe('lackingCredentials', () => {
  verifies('backup:fetched', 'tells a key from a password by the address, however it is written', () => {
    const rows = [
      ['https://git.example.com/ada.git', PASSWORD, undefined],
      ['HTTPS://git.example.com/ada.git', PASSWORD, undefined],
      ['https://git.example.com/ada.git', undefined, undefined],
      ['https://git.example.com/ada.git', KEY, 'Password'],
      ['HTTPS://git.example.com/ada.git', KEY, 'Password'],
      ['file:///srv/ada.git', undefined, undefined],
      ['ssh://git@git.example.com/ada.git', KEY, undefined],
      ['SSH://git@git.example.com/ada.git', KEY, undefined],
      ['git@git.example.com:ada.git', KEY, undefined],
      ['git@git.example.com:ada.git', PASSWORD, 'Key'],
      ['ssh://git@git.example.com/ada.git', undefined, 'Key'],
    ] as const;
    for (const [url, credentials, lacking] of rows) expect(lackingCredentials(url, credentials), url).toBe(lacking);
  });
});
