import type ui from '../messages/en.json';

declare module '../../text/message-keys.ts' {
  interface MessageFiles {
    readonly ui: typeof ui;
  }
}
