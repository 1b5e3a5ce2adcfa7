/** The build without subtitles, encryption and alternate audio, which live rooms do not need. */
declare module 'hls.js/light' {
  export { default } from 'hls.js';
}
