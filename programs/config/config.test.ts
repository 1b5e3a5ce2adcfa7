import { LIVE_CAST } from '#product/testkit/demo/cast.ts';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigInvalid, loopbackOf, readConfig, siteSecret } from './config.ts';
import { hasTurnOverTcp } from './ice.ts';

describe('settings', () => {
  it('are a demo on this machine when nothing is said', () => {
    expect(readConfig({}, [])).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      mediaPort: 3000,
      rtmpPort: 1935,
      rtmpTranscoders: 4,
      socketLimits: { socketsPerAddress: 400, socketsPerSession: 24, authorizeWithinMs: 10_000 },
      ice: { servers: [], turn: null },
      mode: 'demo',
      seeds: true,
      demoLive: Object.keys(LIVE_CAST).length,
      publicUrl: null,
      databaseUrl: null,
      redisUrl: null,
      trustedProxies: [],
      geoFallback: 'strict',
    });
    expect(readConfig({ PORT: '', HOST: ' ' }, ['--no-demo'])).toMatchObject({
      port: 3000,
      mode: 'demo',
      seeds: false,
    });
  });

  it('have a loopback address for media where pages listen on loopback alone', () => {
    expect(['127.0.0.1', 'localhost', '127.0.0.7', '::1', '0.0.0.0', '192.0.2.1', '::'].map(loopbackOf))
      .toEqual(['127.0.0.1', '127.0.0.1', '127.0.0.7', '::1', undefined, undefined, undefined]);
  });

  it('put the calls below another path', () => {
    expect(readConfig({}, []).apiBase).toBe('/api/v1');
    expect(readConfig({ API_BASE: '/backend/v9' }, []).apiBase).toBe('/backend/v9');
  });

  it('are production as soon as others can reach the site', () => {
    expect(readConfig({ PUBLIC_URL: 'https://cam.example/' }, [])).toMatchObject({
      mode: 'production',
      seeds: false,
      publicUrl: 'https://cam.example',
    });
    expect(() => readConfig({ HOST: '0.0.0.0' }, [])).toThrow('production needs PUBLIC_URL');
    expect(readConfig({ HOST: '0.0.0.0', CANDELA_MODE: 'demo' }, [])).toMatchObject({ mode: 'demo' });
  });

  it.each([
    ['PORT', '0'],
    ['PORT', '65536'],
    ['PORT', '3e3'],
    ['PORT', '-1'],
    ['MEDIA_PORT', 'x'],
    ['HOST', 'cam.example'],
    ['PUBLIC_URL', 'cam.example'],
    ['PUBLIC_URL', 'https://cam.example/path'],
    ['PUBLIC_URL', 'https://a@cam.example'],
    ['API_BASE', 'api'],
    ['API_BASE', '/'],
    ['API_BASE', '/api/'],
    ['API_BASE', '/a/../b'],
    ['API_BASE', '/:username'],
    ['PUBLIC_IP', '1.2.3'],
    ['CANDELA_MODE', 'Demo'],
    ['DATABASE_URL', 'mysql://localhost/x'],
    ['REDIS_URL', 'http://localhost'],
    ['REDIS_URL', 'redis://localhost/site'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['TRUSTED_PROXIES', 'proxy'],
    ['GEO_HEADER', 'a b'],
    ['GEO_FALLBACK', 'germany'],
    ['LOG_LEVEL', 'loud'],
    ['SITE_SECRET', 'too short'],
    ['RTMP_PORT', 'no'],
    ['RTMP_TRANSCODERS', '5'],
    ['RTMP_TRANSCODERS', 'many'],
    ['DEMO_LIVE', '25'],
    ['DEMO_LIVE', 'all'],
    ['RTMP_PORT', '70000'],
    ['SOCKETS_PER_ADDRESS', '0'],
    ['SOCKETS_PER_SESSION', 'many'],
    ['SOCKET_AUTHORIZE_MS', '1000000'],
    ['ICE_SERVERS', 'stun:stun.example'],
    ['ICE_SERVERS', '{"urls":"stun:stun.example"}'],
    ['ICE_SERVERS', '[{"urls":"http://stun.example"}]'],
    ['ICE_SERVERS', '[{"urls":"stun:stun.example>; rel=x"}]'],
    ['ICE_SERVERS', '[{"urls":"turn:turn.example"}]'],
    ['ICE_SERVERS', '[{"urls":"turn:turn.example","username":"me"}]'],
    ['ICE_SERVERS', '[{"urls":"turn:turn.example","username":"a b","credential":"x"}]'],
    ['ICE_SERVERS', '[{"urls":[]}]'],
    ['ICE_SERVERS', '[{"url":"stun:stun.example"}]'],
    ['ICE_SERVERS', '[{"urls":"stun:stun.example","credentialType":"oauth"}]'],
    ['ICE_SERVERS', `[${Array.from({ length: 9 }, () => '{"urls":"stun:stun.example"}').join(',')}]`],
    ['TURN_URLS', 'stun:turn.example'],
    ['TURN_URLS', 'turn:turn.example,,'],
    ['TURN_SECRET', 'two words'],
    ['SMTP_URL', 'mail.example:587'],
    ['SMTP_URL', 'smtp://mail.example/inbox'],
    ['MAIL_FROM', 'Candela <mail@cam.example>'],
  ])('refuse %s=%s and name it', (name, value) => {
    expect(() => readConfig({ [name]: value }, [])).toThrow(ConfigInvalid);
    expect(() => readConfig({ [name]: value }, [])).toThrow(name);
  });

  it('take ICE servers as browsers do, and a TURN server with its secret', () => {
    const servers = '[{"urls":"stun:stun.example:3478"},'
      + '{"urls":["turn:a.example?transport=tcp","turns:[::1]"],'
      + '"username":"me","credential":"pass\\"word","credentialType":"password"}]';
    const secret = 'shared-with-coturn';
    const turn = { TURN_URLS: 'turn:t.example?transport=udp, turns:t.example', TURN_SECRET: secret };
    expect(readConfig({ ICE_SERVERS: servers, ...turn }, []).ice).toEqual({
      servers: [
        { urls: ['stun:stun.example:3478'] },
        { urls: ['turn:a.example?transport=tcp', 'turns:[::1]'], username: 'me', credential: 'pass"word' },
      ],
      turn: { urls: ['turn:t.example?transport=udp', 'turns:t.example'], secret },
    });
    const ofTurn = (url: string): boolean => hasTurnOverTcp({ servers: [], turn: { urls: [url], secret } });
    const ofServers = (url: string): boolean => hasTurnOverTcp({ servers: [{ urls: [url] }], turn: null });
    const overTcp = ['turn:a?transport=tcp', 'turns:a', 'turns:a?transport=tcp'];
    const others = ['turn:a', 'turn:a?transport=udp', 'turns:a?transport=udp', 'stun:a'];
    for (const has of [ofTurn, ofServers]) {
      expect(overTcp.map(has)).toEqual([true, true, true]);
      expect(others.map(has)).toEqual([false, false, false, false]);
    }
    for (const half of [{ TURN_URLS: turn.TURN_URLS }, { TURN_SECRET: secret }]) {
      expect(() => readConfig(half, [])).toThrow('TURN_URLS and TURN_SECRET go together');
    }
  });

  it('take a mail server with the address that emails come from', () => {
    const smtp = { SMTP_URL: 'smtp://me:pass@mail.example:587', MAIL_FROM: 'mail@cam.example' };
    expect(readConfig(smtp, []).smtp).toEqual({ url: smtp.SMTP_URL, from: smtp.MAIL_FROM });
    expect(readConfig({}, []).smtp).toBeNull();
    for (const half of [{ SMTP_URL: smtp.SMTP_URL }, { MAIL_FROM: smtp.MAIL_FROM }]) {
      expect(() => readConfig(half, [])).toThrow('SMTP_URL and MAIL_FROM go together');
    }
  });

  it('take a provider of text messages with whom they come from, and name no secret of its account', () => {
    const sms = { SMS_URL: 'https://AC1:s3cret@api.twilio.example', SMS_FROM: '+15550100200' };
    expect(readConfig(sms, []).sms).toEqual({ url: sms.SMS_URL, from: sms.SMS_FROM });
    expect(readConfig({ ...sms, SMS_FROM: `MG${'0a'.repeat(16)}` }, []).sms).not.toBeNull();
    expect(readConfig({}, []).sms).toBeNull();
    for (const half of [{ SMS_URL: sms.SMS_URL }, { SMS_FROM: sms.SMS_FROM }]) {
      expect(() => readConfig(half, [])).toThrow('SMS_URL and SMS_FROM go together');
    }
    for (const url of ['http://AC1:s3cret@api.twilio.example', 'https://api.twilio.example', 'AC1:s3cret']) {
      expect(() => readConfig({ ...sms, SMS_URL: url }, [])).toThrow('SMS_URL=… is not possible');
    }
    expect(() => readConfig({ ...sms, SMS_FROM: '0170' }, [])).toThrow('SMS_FROM=0170 is not possible');
  });

  it('turn RTMP off', () => {
    for (const off of ['0', 'off']) expect(readConfig({ RTMP_PORT: off }, []).rtmpPort).toBeNull();
    expect(readConfig({ RTMP_PORT: '2935' }, []).rtmpPort).toBe(2935);
  });

  it('bound sockets and their time-out as set, and as usual where nothing is [C-428]', () => {
    const set = { SOCKETS_PER_ADDRESS: '40', SOCKETS_PER_SESSION: '4', SOCKET_AUTHORIZE_MS: '2500' };
    expect(readConfig(set, []).socketLimits)
      .toEqual({ socketsPerAddress: 40, socketsPerSession: 4, authorizeWithinMs: 2_500 });
    expect(readConfig({ SOCKETS_PER_SESSION: '4' }, []).socketLimits)
      .toEqual({ socketsPerAddress: 400, socketsPerSession: 4, authorizeWithinMs: 10_000 });
  });

  it('of one process among several name what they must share', () => {
    const part = { defaultPort: 3001, isPart: true };
    expect(() => readConfig({}, [], part)).toThrow(
      /DATABASE_URL is missing[^]*PostgreSQL[^]*REDIS_URL is missing[^]*SITE_SECRET is missing/u,
    );
    const shared = {
      DATABASE_URL: 'postgres://db/x',
      REDIS_URL: 'rediss://me:pass@cache:6380/3',
      SITE_SECRET: 'a'.repeat(40),
    };
    expect(readConfig(shared, [], part)).toMatchObject({ port: 3001, redisUrl: shared.REDIS_URL });
    expect(() => readConfig({ REDIS_URL: 'redis://cache' }, [])).toThrow('DATABASE_URL is missing');
  });

  it('name every problem at once', () => {
    expect(() => readConfig({ PORT: 'x', PUBLIC_IP: 'y' }, ['--fast'])).toThrow(
      /--fast[^]*PORT[^]*PUBLIC_IP/u,
    );
  });

  it('never repeat a secret', () => {
    expect(() => readConfig({ SITE_SECRET: 'hunter2' }, [])).toThrow(/^(?!.*hunter2)/su);
    expect(() => readConfig({ DATABASE_URL: 'psql://me:hunter2@db/x' }, [])).toThrow(/^(?!.*hunter2)/su);
    expect(() => readConfig({ TURN_SECRET: 'hunter2' }, [])).toThrow(/^(?!.*hunter2)/su);
    const servers = '[{"urls":"turn:t.example","username":"me","credential":"hunter2 "}]';
    expect(() => readConfig({ ICE_SERVERS: servers }, [])).toThrow(/^(?!.*hunter2)/su);
  });
});

describe('the site secret', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = join(mkdtempSync(join(tmpdir(), 'candela-')), 'new');
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it('is made once, random, for the owner alone', () => {
    const secret = siteSecret({ secret: null, dataDir });
    expect(secret).toMatch(/^[\w-]{43}$/u);
    expect(siteSecret({ secret: null, dataDir })).toBe(secret);
    const file = join(dataDir, 'site-secret');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8').trim()).toBe(secret);
  });

  it('comes from SITE_SECRET when that is set', () => {
    expect(siteSecret({ secret: 'a'.repeat(40), dataDir })).toBe('a'.repeat(40));
  });

  it('is refused when its file is damaged', () => {
    siteSecret({ secret: null, dataDir });
    writeFileSync(join(dataDir, 'site-secret'), 'x');
    chmodSync(join(dataDir, 'site-secret'), 0o600);
    expect(() => siteSecret({ secret: null, dataDir })).toThrow('is damaged');
  });
});
