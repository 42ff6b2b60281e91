// GLSL that every scene needs: the colour of a stream's pixel, whatever its format.

/**
 * colourOf declares samplers and vec4 colourOf(ivec2 p, ivec2 size): the colour of
 * pixel p of a stream. Bind them with Textures.bind. uLayout is the number of
 * the picture's layout in layoutNumber.
 */
export const colourOf = `
uniform highp usampler2D uWhole;   // depth and y16
uniform highp sampler2D uColour;   // other layouts
uniform highp sampler2D uFractions; // of the colour map, by depth value: 256 × 256
uniform highp sampler2D uMap;      // the colour map's table, 64 entries a row
uniform int uLayout;
uniform int uEntries;              // of the table
uint depthOf(ivec2 p) { return texelFetch(uWhole, p, 0).r; }
vec3 mapped(uint d) {
  if (d == 0u) return vec3(0.0);
  float t = texelFetch(uFractions, ivec2(int(d & 255u), int(d >> 8u)), 0).r;
  int last = uEntries - 1;
  int i = clamp(int(t * float(last)), 0, last);
  return texelFetch(uMap, ivec2(i & 63, i >> 6), 0).rgb;
}
vec3 yuv(float y, float u, float v) {
  // BT.601, full range of luma 16…235, as the SDK converts YUYV.
  float c = 298.0 * (y * 255.0 - 16.0), d = u * 255.0 - 128.0, e = v * 255.0 - 128.0;
  return clamp(floor(vec3(c + 409.0 * e, c - 100.0 * d - 208.0 * e, c + 516.0 * d) / 256.0 + 0.5) / 255.0, 0.0, 1.0);
}
vec3 colourOf(ivec2 p) {
  if (uLayout == 0) return mapped(depthOf(p));
  if (uLayout == 1) return vec3(float(texelFetch(uWhole, p, 0).r) / 65535.0);
  vec4 c = texelFetch(uColour, p, 0);
  if (uLayout == 2) return c.rrr;
  if (uLayout == 3) return c.rgb;
  if (uLayout == 4) return c.bgr;
  vec4 o = texelFetch(uColour, ivec2(p.x ^ 1, p.y), 0);
  bool odd = (p.x & 1) == 1;
  if (uLayout == 5) return odd ? yuv(c.r, o.g, c.g) : yuv(c.r, c.g, o.g);
  return odd ? yuv(c.g, o.r, c.r) : yuv(c.g, c.r, o.r);
}
`

/** layoutNumber is uLayout's value. */
export const layoutNumber = { depth: 0, y16: 1, y8: 2, rgb8: 3, rgba8: 3, bitmap: 3, bgr8: 4, bgra8: 4, yuyv: 5, uyvy: 6 } as const

/** A triangle that covers the viewport; vAt goes from 0,0 at the top left to 1,1. */
export const cover = `#version 300 es
out vec2 vAt;
void main() {
  vec2 p = vec2(float((gl_VertexID << 1) & 2), float(gl_VertexID & 2));
  vAt = vec2(p.x, 1.0 - p.y);
  gl_Position = vec4(p * 2.0 - 1.0, 0.0, 1.0);
}`
