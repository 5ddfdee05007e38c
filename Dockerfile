# docker build -t softlabel . && docker run --rm -i -v "$PWD:/data" softlabel sh -c 'softlabel ingest votes.csv | softlabel aggregate | softlabel show'
FROM debian:12 AS build
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates git make zstd
COPY . /softlabel
RUN cd /softlabel && make archive && mkdir /out && tar --zstd -xf dist/softlabel-*.tar.zst -C /out --strip-components=1

FROM busybox
COPY --from=build /out /usr/local
ENV LC_ALL=C.UTF-8
WORKDIR /data
CMD ["softlabel", "--help"]
