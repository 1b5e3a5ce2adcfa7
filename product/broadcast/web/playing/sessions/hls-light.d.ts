/** The build without subtitles, encryption and alternate audio, which live rooms have none of. */
declare module 'hls.js/light' {
  export { default } from 'hls.js';
}
