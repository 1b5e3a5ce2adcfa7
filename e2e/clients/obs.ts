import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Names of the profile and the scene collection. */
export const OBS_NAME = 'Candela';

/**
 * Writes the settings of a fresh OBS with its server, its key and one moving picture. The encoder is the one
 * OBS chooses by itself: x264 with B-frames, and keyframes when x264 wants one.
 * @param home a directory used as the user's home
 * @param movie a file that plays in a loop
 */
export function configureObs(home: string, server: string, key: string, movie: string): void {
  const root = join(home, '.config/obs-studio');
  const profile = join(root, 'basic/profiles', OBS_NAME);
  const scenes = join(root, 'basic/scenes');
  for (const directory of [profile, scenes]) mkdirSync(directory, { recursive: true });
  writeFileSync(
    join(root, 'global.ini'),
    [
      '[General]',
      'FirstRun=true',
      'LastVersion=486539266',
      'InfoIncrement=100',
      'EnableAutoUpdates=false',
      '[Basic]',
      `Profile=${OBS_NAME}`,
      `ProfileDir=${OBS_NAME}`,
      `SceneCollection=${OBS_NAME}`,
      `SceneCollectionFile=${OBS_NAME}`,
      '',
    ].join('\n'),
  );
  writeFileSync(
    join(profile, 'basic.ini'),
    [
      '[General]',
      `Name=${OBS_NAME}`,
      '[Output]',
      'Mode=Simple',
      '[Video]',
      'BaseCX=640',
      'BaseCY=360',
      'OutputCX=640',
      'OutputCY=360',
      '',
    ].join('\n'),
  );
  writeFileSync(
    join(profile, 'service.json'),
    JSON.stringify({
      type: 'rtmp_custom',
      settings: { server, key, use_auth: false },
    }),
  );
  writeFileSync(
    join(scenes, `${OBS_NAME}.json`),
    JSON.stringify({
      name: OBS_NAME,
      current_scene: 'Scene',
      current_program_scene: 'Scene',
      scene_order: [{ name: 'Scene' }],
      sources: [
        {
          id: 'ffmpeg_source',
          name: 'Movie',
          mixers: 255,
          volume: 1,
          settings: { local_file: movie, looping: true },
        },
        {
          id: 'scene',
          name: 'Scene',
          settings: {
            id_counter: 1,
            items: [{ id: 1, name: 'Movie', visible: true, scale: { x: 1, y: 1 } }],
          },
        },
      ],
    }),
  );
}
