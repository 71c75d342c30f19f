import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { isGroupMissing, isGroupThere, redisFailure } from './redis-failure.ts';

function reply(message: string): Error {
  return Object.assign(new Error(message), { name: 'ReplyError', command: { name: 'auth', args: ['secret-word'] } });
}

describe('a failure of Redis', () => {
  it.each([
    ['a refused connection', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
    ['a wrong password', reply('WRONGPASS invalid username-password pair'), 'user or password of its URL'],
    ['no right', reply("NOPERM this user has no permissions to run the 'xadd' command"), 'XADD'],
    ['full memory', reply("OOM command not allowed when used memory > 'maxmemory'."), 'maxmemory'],
    ['another refusal', reply('BUSY Redis is busy'), 'refused with BUSY'],
    ['a broken connection', new Error('Connection is closed.'), 'broke'],
    ['no error at all', 'secret-word', 'failed'],
  ])('%s is told with what to do', (_, error, words) => {
    expect(redisFailure(error)).toContain(words);
  });

  verifies('bus:no-secret', 'quotes no argument', () => {
    const quoting = [
      reply("ERR unknown command 'xadd', with args beginning with: 'secret-word'"),
      reply('secret-word'),
      new Error('secret-word'),
      Object.assign(new Error('x'), { code: 'secret-word' }),
    ];
    for (const error of quoting) expect(redisFailure(error)).not.toContain('secret-word');
  });

  it('tells the states of a group', () => {
    expect(isGroupMissing(reply("NOGROUP No such key 'rt:a:b:bus' or consumer group 'Steerer'"))).toBe(true);
    expect(isGroupMissing(new Error('NOGROUP'))).toBe(false);
    expect(isGroupThere(reply('BUSYGROUP Consumer Group name already exists'))).toBe(true);
    expect(isGroupThere(reply('NOPERM'))).toBe(false);
  });
});
