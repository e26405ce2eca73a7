# Two images from one file: `web` (no torch) serves pages, API and streams; `worker` adds torch for the pictures.
# syntax=docker/dockerfile:1
FROM python:3.11-slim AS base
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 STUDYHUB_VAR=/var/lib/studyhub
RUN useradd --create-home --uid 10001 studyhub && install -d -o studyhub /var/lib/studyhub
WORKDIR /app
COPY pyproject.toml README.md LICENSE manage.py ./
COPY attention_engine attention_engine
COPY cards cards
COPY studyhub studyhub

FROM base AS web
# The web half never imports torch (a wall that CI holds), so its image goes without: 1 GB less.
RUN python -c "import tomllib; \
project = tomllib.load(open('pyproject.toml', 'rb'))['project']; \
wanted = project['dependencies'] + project['optional-dependencies']['postgres']; \
print('\n'.join(line for line in wanted if not line.startswith('torch')))" > requirements.txt \
 && pip install -r requirements.txt
RUN SECRET_KEY=build python manage.py collectstatic --noinput
USER studyhub
EXPOSE 8000
HEALTHCHECK CMD python -c "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=3)"
CMD ["granian", "--interface", "wsgi", "--host", "0.0.0.0", "--port", "8000", "--workers", "2", "studyhub.wsgi:application"]

FROM base AS worker
# TORCH_INDEX_URL chooses the build: the PyTorch project's CPU wheels by default size, or its CUDA wheels for a GPU.
# CUDA's libraries come with those wheels; the host needs NVIDIA's driver and container toolkit. On a GPU the
# command is one process, pool solo (docker-compose.yml, profile gpu): this one, of several, refuses CUDA.
ARG TORCH_INDEX_URL=
RUN if [ -n "$TORCH_INDEX_URL" ]; then pip install "torch>=2.9,<2.14" --index-url "$TORCH_INDEX_URL"; fi \
 && pip install ".[postgres,models]"
USER studyhub
ENV OMP_NUM_THREADS=1
CMD ["celery", "-A", "studyhub", "worker", "--queues", "renders.fast,renders.heavy", "--concurrency", "2", "--without-gossip", "--without-mingle"]
