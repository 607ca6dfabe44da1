/* table_files.cc - see table_files.h.
 *
 * The reader of RocksDB knows no limit to its rate: so the files below it wait, each time when they
 * have read. Nothing that is read stays in memory. */
#include "store/rocksdb/table_files.h"

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/table.h>

#include <cstring>
#include <memory>
#include <string>

namespace {

using rocksdb::FileOptions;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

constexpr size_t kReadAhead = 256 << 10;

class PacedFile : public rocksdb::FSRandomAccessFile {
  public:
    PacedFile(std::unique_ptr<rocksdb::FSRandomAccessFile> file, struct table_pace *pace)
        : file_(std::move(file)), pace_(pace) {
    }

    IOStatus Read(uint64_t offset, size_t n, const IOOptions &options, Slice *result, char *scratch,
                  IODebugContext *dbg) const override {
        IOStatus status = file_->Read(offset, n, options, result, scratch, dbg);
        if (status.ok() && !pace_->wait(pace_, result->size()))
            return IOStatus::Aborted("given up");
        return status;
    }
    size_t GetRequiredBufferAlignment() const override {
        return file_->GetRequiredBufferAlignment();
    }

  private:
    std::unique_ptr<rocksdb::FSRandomAccessFile> file_;
    struct table_pace *pace_;
};

class PacedFiles : public rocksdb::FileSystemWrapper {
  public:
    PacedFiles(const std::shared_ptr<rocksdb::FileSystem> &target, struct table_pace *pace)
        : FileSystemWrapper(target), pace_(pace) {
    }
    const char *Name() const override {
        return "gramme paced files";
    }
    IOStatus NewRandomAccessFile(const std::string &name, const FileOptions &options,
                                 std::unique_ptr<rocksdb::FSRandomAccessFile> *result,
                                 IODebugContext *dbg) override {
        std::unique_ptr<rocksdb::FSRandomAccessFile> file;
        IOStatus status = target_->NewRandomAccessFile(name, options, &file, dbg);
        if (status.ok())
            *result = std::make_unique<PacedFile>(std::move(file), pace_);
        return status;
    }

  private:
    struct table_pace *pace_;
};

/* The beginning of RocksDB's own struct, as encrypted_files.cc knows it. */
struct EnvHandle {
    rocksdb::Env *env;
};

rocksdb::Status Verify(const rocksdb::Options &options, const char *path, bool *ret_opened) {
    rocksdb::SstFileReader reader(options);
    rocksdb::ReadOptions read;
    read.readahead_size = kReadAhead;
    read.fill_cache = false;
    rocksdb::Status status = reader.Open(path);
    *ret_opened = status.ok();
    return status.ok() ? reader.VerifyChecksum(read) : status;
}

} // namespace

char *table_file_verify(rocksdb_env_t *handle, const char *path, struct table_pace *pace,
                        bool *ret_opened) {
    rocksdb::Env *env =
        handle == nullptr ? rocksdb::Env::Default() : reinterpret_cast<EnvHandle *>(handle)->env;
    std::unique_ptr<rocksdb::Env> paced;
    if (pace != nullptr)
        paced = rocksdb::NewCompositeEnv(std::make_shared<PacedFiles>(env->GetFileSystem(), pace));
    rocksdb::BlockBasedTableOptions table;
    table.no_block_cache = true;
    rocksdb::Options options;
    options.env = pace != nullptr ? paced.get() : env;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    rocksdb::Status status = Verify(options, path, ret_opened);
    return status.ok() ? nullptr : strdup(status.ToString().c_str());
}
