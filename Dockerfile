# The page, the Python environment, and what runs: only the last stage is shipped.

FROM node:22-slim AS page
WORKDIR /src
COPY frontend/package.json frontend/package-lock.json frontend/.npmrc ./
RUN --mount=type=cache,target=/root/.npm npm ci --no-audit --no-fund
COPY frontend/ ./
COPY engine/palette.json /engine/palette.json
RUN npm run build

FROM python:3.11-slim AS environment
RUN apt-get update && apt-get install -y --no-install-recommends binutils
WORKDIR /src
RUN python -m venv --without-pip /opt/gradflow
COPY constraints.txt pyproject.toml README.md LICENSE ./
COPY examples/ examples/
COPY lessons/ lessons/
COPY engine/ engine/
COPY backend/ backend/
COPY src/ src/
COPY --from=page /src/dist backend/playground
ENV PIP_CONSTRAINT=/src/constraints.txt PIP_DISABLE_PIP_VERSION_CHECK=1
RUN --mount=type=cache,target=/root/.cache/pip pip --python /opt/gradflow/bin/python install '.[postgresql]'
# What only those need who debug or test the libraries: a fifth of the environment.
RUN find /opt/gradflow -name '*.so*' -type f -not -path '*.libs/*' -exec strip --strip-unneeded {} + \
 && find /opt/gradflow -path '*/numpy/*' -name tests -type d -prune -exec rm -r {} +

FROM python:3.11-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends libseccomp2 fonts-droid-fallback \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin gradflow \
 && install -d -o gradflow -g gradflow /data
COPY --from=environment /opt/gradflow /opt/gradflow
ENV PATH=/opt/gradflow/bin:$PATH \
    HOME=/tmp \
    PYTHONDONTWRITEBYTECODE=1 \
    GRADFLOW_HOST=0.0.0.0
USER 10001
WORKDIR /tmp
EXPOSE 8000
# By bash itself, so often that the container is known to be healthy as soon as it is.
HEALTHCHECK --interval=2s --timeout=5s --start-period=15s --retries=5 \
    CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/8000 && printf 'GET /healthz HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n' >&3 && read -r -t 4 line <&3 && [[ $line == *' 200 '* ]]"]
CMD ["gradflow", "serve"]
