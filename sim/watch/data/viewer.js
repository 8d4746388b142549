// A film in a canvas: load(film, atEnd) shows one and plays it, and calls atEnd once it is over.
import * as THREE from "three";
import { OrbitControls } from "three/orbit";

const element = (id) => document.getElementById(id);
const bytes = (base64) => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)).buffer;
const numbers = (base64) => new Float64Array(bytes(base64));
const srgb = (color) =>
  new THREE.Color().setRGB(...color.map((part) => part / 255), THREE.SRGBColorSpace);

const canvas = document.querySelector("canvas");
const renderer = new THREE.WebGLRenderer({ canvas });
const camera = new THREE.PerspectiveCamera(30, 1, 0.01, 20);
camera.up.set(0, 0, 1);
const controls = new OrbitControls(camera, canvas);
controls.maxPolarAngle = 0.49 * Math.PI;

let film, scene, bodies, leaf, end, atEnd;
let now = 0, playing = false, last = null, needsDrawing = false;

const SHARP = 2; // pixels along one of the page: smoother edges for less than antialiasing costs
let isCameraMoved = false;
let smooth = SHARP, pixelRatio = SHARP, slowFrames = 0, idleFrames = 0;

export function load(next, whenOver = () => {}) {
  if (!film) element("speed").value = next.speed;
  film = next;
  atEnd = whenOver;
  for (const name of ["time", "translation", "quaternion", "leafTranslation", "leafQuaternion"]) {
    film[name] = numbers(film[name]);
  }
  end = film.time[film.time.length - 1];
  buildScene();
  element("title").textContent = film.title;
  element("outcome").textContent = film.outcome;
  element("scrubber").max = end;
  document.body.classList.toggle("still", end === 0);
  listCameras();
  resize();
  resetCamera();
  show(0);
  setPlaying(true);
}

function buildScene() {
  scene?.traverse((node) => node.geometry?.dispose());
  scene = new THREE.Scene();
  scene.background = new THREE.Color(0xffffff);
  scene.add(new THREE.HemisphereLight(0xffffff, 0xc8d2cc, 1.9));
  const sun = new THREE.DirectionalLight(0xffffff, 1.7);
  sun.position.set(...film.sun.map((part) => -part));
  scene.add(sun);
  group(film.table, (color) => new THREE.MeshBasicMaterial({ color }));
  bodies = film.pigs.map((pig) => solid(pig.patches));
  leaf = film.leaf.length ? solid(film.leaf) : null;
}

function group(patches, makeMaterial) {
  const whole = new THREE.Group();
  for (const patch of patches) {
    const geometry = new THREE.BufferGeometry();
    const corners = new Float32Array(bytes(patch.corners));
    geometry.setAttribute("position", new THREE.BufferAttribute(corners, 3));
    geometry.computeVertexNormals();
    whole.add(new THREE.Mesh(geometry, makeMaterial(srgb(patch.color))));
  }
  scene.add(whole);
  return whole;
}

// A body, and its shadow: the same triangles, flattened on the table along the light.
function solid(patches) {
  const whole = group(patches, (color) => new THREE.MeshLambertMaterial({ color }));
  const shade = new THREE.MeshBasicMaterial({ color: srgb(film.shadow) });
  const shadow = group(patches, () => shade);
  shadow.matrixAutoUpdate = false;
  return { whole, shadow };
}

function place({ whole, shadow }, translations, quaternions, row) {
  const [x, y, z] = film.sun;
  whole.position.fromArray(translations, 3 * row);
  whole.quaternion.fromArray(quaternions, 4 * row);
  whole.updateMatrix();
  shadow.matrix.set(1, 0, -x / z, 0, 0, 1, -y / z, 0, 0, 0, 0, 0, 0, 0, 0, 1);
  shadow.matrix.multiply(whole.matrix);
}

function frameAt(moment) {
  const after = film.time.findIndex((time) => time > moment);
  return after < 0 ? film.time.length - 1 : Math.max(0, after - 1);
}

function show(moment) {
  now = Math.min(Math.max(moment, 0), end);
  const frame = frameAt(now), pigs = bodies.length;
  bodies.forEach((body, pig) => place(body, film.translation, film.quaternion, frame * pigs + pig));
  if (leaf) place(leaf, film.leafTranslation, film.leafQuaternion, frame);
  element("scrubber").value = now;
  element("time").textContent = `${now.toFixed(3)} s`;
  element("outcome").style.visibility = now >= end ? "visible" : "hidden";
  if (now >= end) atEnd();
  const body = followed();
  if (body) {
    camera.position.add(body.position).sub(controls.target);
    controls.target.copy(body.position);
  }
  needsDrawing = true;
}

function setPlaying(value) {
  playing = value;
  last = null;
  element("play").textContent = playing ? "Pause" : "Play";
}

function step(frames) {
  setPlaying(false);
  show(film.time[Math.min(Math.max(frameAt(now) + frames, 0), film.time.length - 1)]);
}

function listCameras() {
  const names = film.views.map((view) => view.name);
  names.push(...film.pigs.map((pig) => `follow the ${pig.name}`));
  const chosen = Math.max(0, Math.min(element("camera").selectedIndex, names.length - 1));
  element("camera").replaceChildren(...names.map((name, choice) => new Option(name, choice)));
  element("camera").selectedIndex = chosen;
}

function followed() {
  return bodies[element("camera").selectedIndex - film.views.length]?.whole;
}

function resetCamera() {
  isCameraMoved = false;
  const body = followed();
  const { cameras } = film.views[body ? 0 : element("camera").selectedIndex];
  const view = cameras.findLast(({ aspect }) => aspect <= camera.aspect) ?? cameras[0];
  const target = body ? body.position : new THREE.Vector3(...view.target);
  const narrow = Math.max(1, view.aspect / camera.aspect);
  const distance = body ? 9 * film.reach : view.distance * narrow;
  camera.fov = film.fieldOfView;
  camera.updateProjectionMatrix();
  controls.minDistance = film.reach;
  controls.maxDistance = 80 * film.reach;
  controls.target.copy(target);
  camera.position.copy(target).addScaledVector(new THREE.Vector3(...view.forward), -distance);
  controls.update();
  needsDrawing = true;
}

// The picture is fitted below the text, and goes on behind it.
function resize() {
  const { clientWidth, clientHeight } = canvas.parentElement;
  const { offsetTop, offsetHeight } = element("text");
  const below = clientHeight - offsetTop - offsetHeight, before = camera.aspect;
  renderer.setPixelRatio(pixelRatio);
  renderer.setSize(clientWidth, clientHeight, false);
  camera.setViewOffset(clientWidth, below, 0, below - clientHeight, clientWidth, clientHeight);
  needsDrawing = true;
  if (film && camera.aspect !== before && !isCameraMoved) resetCamera();
}

// Without a graphics card every pixel costs: fewer of them while things move, all at rest.
function keepSmooth(seconds) {
  slowFrames = seconds > 1 / 30 ? slowFrames + 1 : 0;
  if (slowFrames < 3 || smooth < 0.75) return;
  slowFrames = 0;
  smooth /= Math.SQRT2;
}

function draw() {
  idleFrames = needsDrawing ? 0 : idleFrames + 1;
  const isToSharpen = idleFrames === 10 && pixelRatio < SHARP;
  if (!needsDrawing && !isToSharpen) return;
  const ratio = isToSharpen ? SHARP : smooth;
  if (ratio !== pixelRatio) {
    pixelRatio = ratio;
    resize();
  }
  renderer.render(scene, camera);
  needsDrawing = false;
}

function tick(stamp) {
  requestAnimationFrame(tick);
  if (!film) return;
  if (playing) {
    const passed = last === null ? 0 : (stamp - last) / 1000;
    last = stamp;
    keepSmooth(passed);
    show(now + passed * element("speed").value);
    if (now >= end) setPlaying(false);
  }
  controls.update();
  draw();
}

element("scrubber").addEventListener("input", (event) => {
  setPlaying(false);
  show(Number(event.target.value));
});
element("play").addEventListener("click", () => {
  if (!playing && now >= end) now = 0;
  setPlaying(!playing);
});
element("back").addEventListener("click", () => step(-1));
element("on").addEventListener("click", () => step(1));
element("camera").addEventListener("change", resetCamera);
element("reset").addEventListener("click", resetCamera);
controls.addEventListener("start", () => { isCameraMoved = true; });
controls.addEventListener("change", () => { needsDrawing = true; });
new ResizeObserver(resize).observe(canvas.parentElement);
resize();
requestAnimationFrame(tick);
